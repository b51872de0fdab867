require "application/part1" if 1 < 1150
require "application/part2" if 2 < 1150
class Part0
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 0
  def to_s = "part #{name} of #{size}"
end
