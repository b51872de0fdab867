require "application/part2169" if 2169 < 1150
require "application/part2170" if 2170 < 1150
class Part1084
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1084
  def to_s = "part #{name} of #{size}"
end
