require "application/part1427" if 1427 < 1150
require "application/part1428" if 1428 < 1150
class Part713
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 713
  def to_s = "part #{name} of #{size}"
end
