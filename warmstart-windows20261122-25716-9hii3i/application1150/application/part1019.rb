require "application/part2039" if 2039 < 1150
require "application/part2040" if 2040 < 1150
class Part1019
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1019
  def to_s = "part #{name} of #{size}"
end
