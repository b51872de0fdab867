require "application/part2061" if 2061 < 1150
require "application/part2062" if 2062 < 1150
class Part1030
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1030
  def to_s = "part #{name} of #{size}"
end
