require "application/part1997" if 1997 < 1150
require "application/part1998" if 1998 < 1150
class Part998
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 998
  def to_s = "part #{name} of #{size}"
end
