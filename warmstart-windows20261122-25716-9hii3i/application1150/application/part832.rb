require "application/part1665" if 1665 < 1150
require "application/part1666" if 1666 < 1150
class Part832
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 832
  def to_s = "part #{name} of #{size}"
end
