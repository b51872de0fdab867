require "application/part1533" if 1533 < 1150
require "application/part1534" if 1534 < 1150
class Part766
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 766
  def to_s = "part #{name} of #{size}"
end
