require "application/part2109" if 2109 < 1150
require "application/part2110" if 2110 < 1150
class Part1054
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1054
  def to_s = "part #{name} of #{size}"
end
