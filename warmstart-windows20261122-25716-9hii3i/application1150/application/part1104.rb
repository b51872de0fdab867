require "application/part2209" if 2209 < 1150
require "application/part2210" if 2210 < 1150
class Part1104
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1104
  def to_s = "part #{name} of #{size}"
end
