require "application/part2273" if 2273 < 1150
require "application/part2274" if 2274 < 1150
class Part1136
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1136
  def to_s = "part #{name} of #{size}"
end
