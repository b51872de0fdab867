require "application/part2223" if 2223 < 1150
require "application/part2224" if 2224 < 1150
class Part1111
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1111
  def to_s = "part #{name} of #{size}"
end
