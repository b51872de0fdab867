require "application/part2261" if 2261 < 1150
require "application/part2262" if 2262 < 1150
class Part1130
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1130
  def to_s = "part #{name} of #{size}"
end
