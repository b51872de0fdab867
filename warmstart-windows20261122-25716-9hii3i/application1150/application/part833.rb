require "application/part1667" if 1667 < 1150
require "application/part1668" if 1668 < 1150
class Part833
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 833
  def to_s = "part #{name} of #{size}"
end
