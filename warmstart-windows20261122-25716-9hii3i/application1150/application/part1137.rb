require "application/part2275" if 2275 < 1150
require "application/part2276" if 2276 < 1150
class Part1137
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1137
  def to_s = "part #{name} of #{size}"
end
