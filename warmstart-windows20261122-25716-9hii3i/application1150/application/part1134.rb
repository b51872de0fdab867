require "application/part2269" if 2269 < 1150
require "application/part2270" if 2270 < 1150
class Part1134
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1134
  def to_s = "part #{name} of #{size}"
end
