require "application/part2285" if 2285 < 1150
require "application/part2286" if 2286 < 1150
class Part1142
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1142
  def to_s = "part #{name} of #{size}"
end
