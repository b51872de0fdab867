require "application/part2133" if 2133 < 1150
require "application/part2134" if 2134 < 1150
class Part1066
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1066
  def to_s = "part #{name} of #{size}"
end
