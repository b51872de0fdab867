require "application/part2065" if 2065 < 1150
require "application/part2066" if 2066 < 1150
class Part1032
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1032
  def to_s = "part #{name} of #{size}"
end
