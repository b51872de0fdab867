require "application/part2045" if 2045 < 1150
require "application/part2046" if 2046 < 1150
class Part1022
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1022
  def to_s = "part #{name} of #{size}"
end
