require "application/part1429" if 1429 < 750
require "application/part1430" if 1430 < 750
class Part714
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 714
  def to_s = "part #{name} of #{size}"
end
