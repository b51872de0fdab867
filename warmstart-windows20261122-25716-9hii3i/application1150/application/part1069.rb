require "application/part2139" if 2139 < 1150
require "application/part2140" if 2140 < 1150
class Part1069
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1069
  def to_s = "part #{name} of #{size}"
end
