require "application/part1115" if 1115 < 1150
require "application/part1116" if 1116 < 1150
class Part557
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 557
  def to_s = "part #{name} of #{size}"
end
