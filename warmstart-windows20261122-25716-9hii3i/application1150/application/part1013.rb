require "application/part2027" if 2027 < 1150
require "application/part2028" if 2028 < 1150
class Part1013
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1013
  def to_s = "part #{name} of #{size}"
end
