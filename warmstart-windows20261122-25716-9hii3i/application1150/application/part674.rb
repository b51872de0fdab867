require "application/part1349" if 1349 < 1150
require "application/part1350" if 1350 < 1150
class Part674
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 674
  def to_s = "part #{name} of #{size}"
end
