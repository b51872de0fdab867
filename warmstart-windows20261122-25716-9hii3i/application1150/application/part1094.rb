require "application/part2189" if 2189 < 1150
require "application/part2190" if 2190 < 1150
class Part1094
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1094
  def to_s = "part #{name} of #{size}"
end
