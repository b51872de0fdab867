require "application/part2299" if 2299 < 1150
require "application/part2300" if 2300 < 1150
class Part1149
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1149
  def to_s = "part #{name} of #{size}"
end
