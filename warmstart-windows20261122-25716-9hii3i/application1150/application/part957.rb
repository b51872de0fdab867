require "application/part1915" if 1915 < 1150
require "application/part1916" if 1916 < 1150
class Part957
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 957
  def to_s = "part #{name} of #{size}"
end
