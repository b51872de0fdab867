require "application/part1525" if 1525 < 1150
require "application/part1526" if 1526 < 1150
class Part762
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 762
  def to_s = "part #{name} of #{size}"
end
