require "application/part1737" if 1737 < 1150
require "application/part1738" if 1738 < 1150
class Part868
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 868
  def to_s = "part #{name} of #{size}"
end
