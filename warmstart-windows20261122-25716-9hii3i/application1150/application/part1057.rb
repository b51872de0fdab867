require "application/part2115" if 2115 < 1150
require "application/part2116" if 2116 < 1150
class Part1057
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1057
  def to_s = "part #{name} of #{size}"
end
