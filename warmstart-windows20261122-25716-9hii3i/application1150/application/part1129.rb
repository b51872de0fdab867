require "application/part2259" if 2259 < 1150
require "application/part2260" if 2260 < 1150
class Part1129
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1129
  def to_s = "part #{name} of #{size}"
end
