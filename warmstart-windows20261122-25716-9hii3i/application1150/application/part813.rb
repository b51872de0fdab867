require "application/part1627" if 1627 < 1150
require "application/part1628" if 1628 < 1150
class Part813
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 813
  def to_s = "part #{name} of #{size}"
end
