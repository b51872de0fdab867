require "application/part1497" if 1497 < 750
require "application/part1498" if 1498 < 750
class Part748
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 748
  def to_s = "part #{name} of #{size}"
end
