require "application/part2137" if 2137 < 1150
require "application/part2138" if 2138 < 1150
class Part1068
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1068
  def to_s = "part #{name} of #{size}"
end
