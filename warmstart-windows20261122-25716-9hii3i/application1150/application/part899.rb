require "application/part1799" if 1799 < 1150
require "application/part1800" if 1800 < 1150
class Part899
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 899
  def to_s = "part #{name} of #{size}"
end
