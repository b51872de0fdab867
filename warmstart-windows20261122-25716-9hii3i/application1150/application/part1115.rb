require "application/part2231" if 2231 < 1150
require "application/part2232" if 2232 < 1150
class Part1115
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1115
  def to_s = "part #{name} of #{size}"
end
