require "application/part2245" if 2245 < 1150
require "application/part2246" if 2246 < 1150
class Part1122
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1122
  def to_s = "part #{name} of #{size}"
end
