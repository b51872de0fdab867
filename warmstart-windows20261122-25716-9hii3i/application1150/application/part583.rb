require "application/part1167" if 1167 < 1150
require "application/part1168" if 1168 < 1150
class Part583
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 583
  def to_s = "part #{name} of #{size}"
end
