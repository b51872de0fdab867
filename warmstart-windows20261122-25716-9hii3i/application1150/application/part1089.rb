require "application/part2179" if 2179 < 1150
require "application/part2180" if 2180 < 1150
class Part1089
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1089
  def to_s = "part #{name} of #{size}"
end
