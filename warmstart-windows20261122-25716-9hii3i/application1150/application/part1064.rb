require "application/part2129" if 2129 < 1150
require "application/part2130" if 2130 < 1150
class Part1064
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1064
  def to_s = "part #{name} of #{size}"
end
