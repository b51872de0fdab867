require "application/part1355" if 1355 < 750
require "application/part1356" if 1356 < 750
class Part677
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 677
  def to_s = "part #{name} of #{size}"
end
