require "application/part2247" if 2247 < 1150
require "application/part2248" if 2248 < 1150
class Part1123
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1123
  def to_s = "part #{name} of #{size}"
end
