require "application/part2121" if 2121 < 1150
require "application/part2122" if 2122 < 1150
class Part1060
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1060
  def to_s = "part #{name} of #{size}"
end
