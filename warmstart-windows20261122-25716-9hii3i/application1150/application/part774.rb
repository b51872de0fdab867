require "application/part1549" if 1549 < 1150
require "application/part1550" if 1550 < 1150
class Part774
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 774
  def to_s = "part #{name} of #{size}"
end
