require "application/part1657" if 1657 < 1150
require "application/part1658" if 1658 < 1150
class Part828
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 828
  def to_s = "part #{name} of #{size}"
end
