require "application/part2297" if 2297 < 1150
require "application/part2298" if 2298 < 1150
class Part1148
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1148
  def to_s = "part #{name} of #{size}"
end
