require "application/part1845" if 1845 < 1150
require "application/part1846" if 1846 < 1150
class Part922
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 922
  def to_s = "part #{name} of #{size}"
end
