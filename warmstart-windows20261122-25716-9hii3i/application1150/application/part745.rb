require "application/part1491" if 1491 < 1150
require "application/part1492" if 1492 < 1150
class Part745
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 745
  def to_s = "part #{name} of #{size}"
end
