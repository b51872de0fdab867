require "application/part2249" if 2249 < 1150
require "application/part2250" if 2250 < 1150
class Part1124
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1124
  def to_s = "part #{name} of #{size}"
end
