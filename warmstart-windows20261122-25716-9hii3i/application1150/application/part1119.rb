require "application/part2239" if 2239 < 1150
require "application/part2240" if 2240 < 1150
class Part1119
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1119
  def to_s = "part #{name} of #{size}"
end
