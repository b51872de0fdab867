require "application/part1613" if 1613 < 1150
require "application/part1614" if 1614 < 1150
class Part806
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 806
  def to_s = "part #{name} of #{size}"
end
