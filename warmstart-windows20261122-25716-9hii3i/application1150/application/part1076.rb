require "application/part2153" if 2153 < 1150
require "application/part2154" if 2154 < 1150
class Part1076
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1076
  def to_s = "part #{name} of #{size}"
end
