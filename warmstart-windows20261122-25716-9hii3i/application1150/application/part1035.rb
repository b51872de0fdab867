require "application/part2071" if 2071 < 1150
require "application/part2072" if 2072 < 1150
class Part1035
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1035
  def to_s = "part #{name} of #{size}"
end
