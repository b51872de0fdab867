require "application/part1477" if 1477 < 1150
require "application/part1478" if 1478 < 1150
class Part738
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 738
  def to_s = "part #{name} of #{size}"
end
