require "application/part2091" if 2091 < 1150
require "application/part2092" if 2092 < 1150
class Part1045
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1045
  def to_s = "part #{name} of #{size}"
end
