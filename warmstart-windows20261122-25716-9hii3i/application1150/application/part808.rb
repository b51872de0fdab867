require "application/part1617" if 1617 < 1150
require "application/part1618" if 1618 < 1150
class Part808
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 808
  def to_s = "part #{name} of #{size}"
end
