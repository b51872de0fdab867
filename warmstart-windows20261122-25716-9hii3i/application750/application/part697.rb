require "application/part1395" if 1395 < 750
require "application/part1396" if 1396 < 750
class Part697
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 697
  def to_s = "part #{name} of #{size}"
end
