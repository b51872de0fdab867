require "application/part2183" if 2183 < 1150
require "application/part2184" if 2184 < 1150
class Part1091
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1091
  def to_s = "part #{name} of #{size}"
end
