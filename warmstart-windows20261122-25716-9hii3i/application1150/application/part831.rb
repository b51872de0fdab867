require "application/part1663" if 1663 < 1150
require "application/part1664" if 1664 < 1150
class Part831
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 831
  def to_s = "part #{name} of #{size}"
end
