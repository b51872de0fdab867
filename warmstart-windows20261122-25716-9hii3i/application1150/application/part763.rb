require "application/part1527" if 1527 < 1150
require "application/part1528" if 1528 < 1150
class Part763
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 763
  def to_s = "part #{name} of #{size}"
end
