require "application/part2033" if 2033 < 1150
require "application/part2034" if 2034 < 1150
class Part1016
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1016
  def to_s = "part #{name} of #{size}"
end
