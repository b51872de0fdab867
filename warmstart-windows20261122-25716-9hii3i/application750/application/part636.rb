require "application/part1273" if 1273 < 750
require "application/part1274" if 1274 < 750
class Part636
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 636
  def to_s = "part #{name} of #{size}"
end
