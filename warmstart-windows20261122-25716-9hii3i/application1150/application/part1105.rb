require "application/part2211" if 2211 < 1150
require "application/part2212" if 2212 < 1150
class Part1105
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1105
  def to_s = "part #{name} of #{size}"
end
