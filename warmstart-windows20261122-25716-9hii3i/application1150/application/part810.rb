require "application/part1621" if 1621 < 1150
require "application/part1622" if 1622 < 1150
class Part810
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 810
  def to_s = "part #{name} of #{size}"
end
