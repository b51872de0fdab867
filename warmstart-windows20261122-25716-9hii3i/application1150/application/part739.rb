require "application/part1479" if 1479 < 1150
require "application/part1480" if 1480 < 1150
class Part739
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 739
  def to_s = "part #{name} of #{size}"
end
