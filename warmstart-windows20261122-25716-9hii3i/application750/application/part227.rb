require "application/part455" if 455 < 750
require "application/part456" if 456 < 750
class Part227
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 227
  def to_s = "part #{name} of #{size}"
end
