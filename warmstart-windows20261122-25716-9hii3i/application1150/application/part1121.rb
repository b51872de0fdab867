require "application/part2243" if 2243 < 1150
require "application/part2244" if 2244 < 1150
class Part1121
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1121
  def to_s = "part #{name} of #{size}"
end
