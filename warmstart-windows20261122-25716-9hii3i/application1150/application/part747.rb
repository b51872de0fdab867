require "application/part1495" if 1495 < 1150
require "application/part1496" if 1496 < 1150
class Part747
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 747
  def to_s = "part #{name} of #{size}"
end
