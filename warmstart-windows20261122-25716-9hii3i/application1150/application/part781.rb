require "application/part1563" if 1563 < 1150
require "application/part1564" if 1564 < 1150
class Part781
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 781
  def to_s = "part #{name} of #{size}"
end
