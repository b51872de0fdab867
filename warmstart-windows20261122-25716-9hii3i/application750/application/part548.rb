require "application/part1097" if 1097 < 750
require "application/part1098" if 1098 < 750
class Part548
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 548
  def to_s = "part #{name} of #{size}"
end
