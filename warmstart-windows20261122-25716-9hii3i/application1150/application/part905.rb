require "application/part1811" if 1811 < 1150
require "application/part1812" if 1812 < 1150
class Part905
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 905
  def to_s = "part #{name} of #{size}"
end
