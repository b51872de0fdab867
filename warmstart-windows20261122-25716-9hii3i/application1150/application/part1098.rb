require "application/part2197" if 2197 < 1150
require "application/part2198" if 2198 < 1150
class Part1098
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1098
  def to_s = "part #{name} of #{size}"
end
