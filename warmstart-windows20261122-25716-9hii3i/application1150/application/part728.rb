require "application/part1457" if 1457 < 1150
require "application/part1458" if 1458 < 1150
class Part728
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 728
  def to_s = "part #{name} of #{size}"
end
