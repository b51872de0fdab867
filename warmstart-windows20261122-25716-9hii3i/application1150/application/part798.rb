require "application/part1597" if 1597 < 1150
require "application/part1598" if 1598 < 1150
class Part798
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 798
  def to_s = "part #{name} of #{size}"
end
