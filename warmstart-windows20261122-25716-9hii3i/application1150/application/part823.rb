require "application/part1647" if 1647 < 1150
require "application/part1648" if 1648 < 1150
class Part823
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 823
  def to_s = "part #{name} of #{size}"
end
