require "application/part1859" if 1859 < 1150
require "application/part1860" if 1860 < 1150
class Part929
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 929
  def to_s = "part #{name} of #{size}"
end
