require "application/part1909" if 1909 < 1150
require "application/part1910" if 1910 < 1150
class Part954
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 954
  def to_s = "part #{name} of #{size}"
end
