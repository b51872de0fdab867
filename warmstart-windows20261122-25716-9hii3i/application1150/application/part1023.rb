require "application/part2047" if 2047 < 1150
require "application/part2048" if 2048 < 1150
class Part1023
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1023
  def to_s = "part #{name} of #{size}"
end
