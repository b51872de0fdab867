require "application/part69" if 69 < 750
require "application/part70" if 70 < 750
class Part34
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 34
  def to_s = "part #{name} of #{size}"
end
