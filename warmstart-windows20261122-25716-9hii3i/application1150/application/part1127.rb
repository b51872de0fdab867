require "application/part2255" if 2255 < 1150
require "application/part2256" if 2256 < 1150
class Part1127
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1127
  def to_s = "part #{name} of #{size}"
end
