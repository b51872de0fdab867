require "application/part2041" if 2041 < 1150
require "application/part2042" if 2042 < 1150
class Part1020
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1020
  def to_s = "part #{name} of #{size}"
end
