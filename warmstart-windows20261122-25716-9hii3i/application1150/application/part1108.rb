require "application/part2217" if 2217 < 1150
require "application/part2218" if 2218 < 1150
class Part1108
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1108
  def to_s = "part #{name} of #{size}"
end
