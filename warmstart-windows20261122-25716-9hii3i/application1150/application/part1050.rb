require "application/part2101" if 2101 < 1150
require "application/part2102" if 2102 < 1150
class Part1050
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1050
  def to_s = "part #{name} of #{size}"
end
