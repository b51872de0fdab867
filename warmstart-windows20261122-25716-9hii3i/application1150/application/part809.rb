require "application/part1619" if 1619 < 1150
require "application/part1620" if 1620 < 1150
class Part809
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 809
  def to_s = "part #{name} of #{size}"
end
