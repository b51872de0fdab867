require "application/part2233" if 2233 < 1150
require "application/part2234" if 2234 < 1150
class Part1116
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1116
  def to_s = "part #{name} of #{size}"
end
