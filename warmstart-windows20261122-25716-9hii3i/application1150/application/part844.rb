require "application/part1689" if 1689 < 1150
require "application/part1690" if 1690 < 1150
class Part844
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 844
  def to_s = "part #{name} of #{size}"
end
