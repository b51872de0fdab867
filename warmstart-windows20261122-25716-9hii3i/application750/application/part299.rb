require "application/part599" if 599 < 750
require "application/part600" if 600 < 750
class Part299
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 299
  def to_s = "part #{name} of #{size}"
end
