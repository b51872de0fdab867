require "application/part1869" if 1869 < 1150
require "application/part1870" if 1870 < 1150
class Part934
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 934
  def to_s = "part #{name} of #{size}"
end
