require "application/part2279" if 2279 < 1150
require "application/part2280" if 2280 < 1150
class Part1139
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1139
  def to_s = "part #{name} of #{size}"
end
