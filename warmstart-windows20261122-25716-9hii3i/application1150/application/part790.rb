require "application/part1581" if 1581 < 1150
require "application/part1582" if 1582 < 1150
class Part790
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 790
  def to_s = "part #{name} of #{size}"
end
