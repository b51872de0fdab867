require "application/part2237" if 2237 < 1150
require "application/part2238" if 2238 < 1150
class Part1118
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1118
  def to_s = "part #{name} of #{size}"
end
