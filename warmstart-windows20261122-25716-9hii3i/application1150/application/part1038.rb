require "application/part2077" if 2077 < 1150
require "application/part2078" if 2078 < 1150
class Part1038
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1038
  def to_s = "part #{name} of #{size}"
end
