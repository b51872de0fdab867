require "application/part1595" if 1595 < 1150
require "application/part1596" if 1596 < 1150
class Part797
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 797
  def to_s = "part #{name} of #{size}"
end
