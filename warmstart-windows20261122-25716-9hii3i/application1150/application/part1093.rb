require "application/part2187" if 2187 < 1150
require "application/part2188" if 2188 < 1150
class Part1093
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1093
  def to_s = "part #{name} of #{size}"
end
