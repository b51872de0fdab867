require "application/part2123" if 2123 < 1150
require "application/part2124" if 2124 < 1150
class Part1061
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1061
  def to_s = "part #{name} of #{size}"
end
