require "application/part2051" if 2051 < 1150
require "application/part2052" if 2052 < 1150
class Part1025
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1025
  def to_s = "part #{name} of #{size}"
end
