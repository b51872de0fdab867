require "application/part2201" if 2201 < 1150
require "application/part2202" if 2202 < 1150
class Part1100
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1100
  def to_s = "part #{name} of #{size}"
end
