require "application/part2135" if 2135 < 1150
require "application/part2136" if 2136 < 1150
class Part1067
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1067
  def to_s = "part #{name} of #{size}"
end
