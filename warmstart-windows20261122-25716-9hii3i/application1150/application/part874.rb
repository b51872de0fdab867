require "application/part1749" if 1749 < 1150
require "application/part1750" if 1750 < 1150
class Part874
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 874
  def to_s = "part #{name} of #{size}"
end
