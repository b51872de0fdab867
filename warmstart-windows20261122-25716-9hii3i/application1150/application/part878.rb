require "application/part1757" if 1757 < 1150
require "application/part1758" if 1758 < 1150
class Part878
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 878
  def to_s = "part #{name} of #{size}"
end
