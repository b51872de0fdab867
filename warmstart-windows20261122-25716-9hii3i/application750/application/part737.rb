require "application/part1475" if 1475 < 750
require "application/part1476" if 1476 < 750
class Part737
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 737
  def to_s = "part #{name} of #{size}"
end
