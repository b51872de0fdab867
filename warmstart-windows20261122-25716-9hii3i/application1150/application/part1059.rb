require "application/part2119" if 2119 < 1150
require "application/part2120" if 2120 < 1150
class Part1059
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1059
  def to_s = "part #{name} of #{size}"
end
