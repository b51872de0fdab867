require "application/part1565" if 1565 < 1150
require "application/part1566" if 1566 < 1150
class Part782
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 782
  def to_s = "part #{name} of #{size}"
end
