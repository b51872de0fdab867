require "application/part1561" if 1561 < 1150
require "application/part1562" if 1562 < 1150
class Part780
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 780
  def to_s = "part #{name} of #{size}"
end
