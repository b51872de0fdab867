require "application/part2157" if 2157 < 1150
require "application/part2158" if 2158 < 1150
class Part1078
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1078
  def to_s = "part #{name} of #{size}"
end
