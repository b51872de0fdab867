require "application/part2075" if 2075 < 1150
require "application/part2076" if 2076 < 1150
class Part1037
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1037
  def to_s = "part #{name} of #{size}"
end
