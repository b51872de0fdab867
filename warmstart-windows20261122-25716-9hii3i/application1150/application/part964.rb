require "application/part1929" if 1929 < 1150
require "application/part1930" if 1930 < 1150
class Part964
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 964
  def to_s = "part #{name} of #{size}"
end
