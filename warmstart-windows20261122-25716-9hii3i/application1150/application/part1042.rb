require "application/part2085" if 2085 < 1150
require "application/part2086" if 2086 < 1150
class Part1042
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1042
  def to_s = "part #{name} of #{size}"
end
