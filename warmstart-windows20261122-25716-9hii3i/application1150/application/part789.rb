require "application/part1579" if 1579 < 1150
require "application/part1580" if 1580 < 1150
class Part789
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 789
  def to_s = "part #{name} of #{size}"
end
