require "application/part2105" if 2105 < 1150
require "application/part2106" if 2106 < 1150
class Part1052
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1052
  def to_s = "part #{name} of #{size}"
end
