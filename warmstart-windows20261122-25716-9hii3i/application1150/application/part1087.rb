require "application/part2175" if 2175 < 1150
require "application/part2176" if 2176 < 1150
class Part1087
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1087
  def to_s = "part #{name} of #{size}"
end
