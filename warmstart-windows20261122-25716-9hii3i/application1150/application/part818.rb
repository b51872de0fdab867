require "application/part1637" if 1637 < 1150
require "application/part1638" if 1638 < 1150
class Part818
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 818
  def to_s = "part #{name} of #{size}"
end
