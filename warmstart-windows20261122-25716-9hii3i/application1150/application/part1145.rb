require "application/part2291" if 2291 < 1150
require "application/part2292" if 2292 < 1150
class Part1145
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1145
  def to_s = "part #{name} of #{size}"
end
