require "application/part1543" if 1543 < 1150
require "application/part1544" if 1544 < 1150
class Part771
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 771
  def to_s = "part #{name} of #{size}"
end
