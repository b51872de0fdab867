require "application/part2117" if 2117 < 1150
require "application/part2118" if 2118 < 1150
class Part1058
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1058
  def to_s = "part #{name} of #{size}"
end
