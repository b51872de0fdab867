require "application/part1499" if 1499 < 750
require "application/part1500" if 1500 < 750
class Part749
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 749
  def to_s = "part #{name} of #{size}"
end
