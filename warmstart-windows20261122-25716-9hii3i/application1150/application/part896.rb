require "application/part1793" if 1793 < 1150
require "application/part1794" if 1794 < 1150
class Part896
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 896
  def to_s = "part #{name} of #{size}"
end
