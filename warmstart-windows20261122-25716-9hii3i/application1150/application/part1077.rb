require "application/part2155" if 2155 < 1150
require "application/part2156" if 2156 < 1150
class Part1077
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1077
  def to_s = "part #{name} of #{size}"
end
