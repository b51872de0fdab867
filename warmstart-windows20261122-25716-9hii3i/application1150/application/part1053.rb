require "application/part2107" if 2107 < 1150
require "application/part2108" if 2108 < 1150
class Part1053
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1053
  def to_s = "part #{name} of #{size}"
end
