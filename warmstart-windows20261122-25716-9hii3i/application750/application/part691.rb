require "application/part1383" if 1383 < 750
require "application/part1384" if 1384 < 750
class Part691
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 691
  def to_s = "part #{name} of #{size}"
end
