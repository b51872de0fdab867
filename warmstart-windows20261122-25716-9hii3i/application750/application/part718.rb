require "application/part1437" if 1437 < 750
require "application/part1438" if 1438 < 750
class Part718
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 718
  def to_s = "part #{name} of #{size}"
end
