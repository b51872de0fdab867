require "application/part2053" if 2053 < 1150
require "application/part2054" if 2054 < 1150
class Part1026
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1026
  def to_s = "part #{name} of #{size}"
end
