require "application/part1517" if 1517 < 1150
require "application/part1518" if 1518 < 1150
class Part758
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 758
  def to_s = "part #{name} of #{size}"
end
