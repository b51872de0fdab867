require "application/part2277" if 2277 < 1150
require "application/part2278" if 2278 < 1150
class Part1138
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1138
  def to_s = "part #{name} of #{size}"
end
