require "application/part2029" if 2029 < 1150
require "application/part2030" if 2030 < 1150
class Part1014
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1014
  def to_s = "part #{name} of #{size}"
end
