require "application/part2067" if 2067 < 1150
require "application/part2068" if 2068 < 1150
class Part1033
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1033
  def to_s = "part #{name} of #{size}"
end
