require "application/part1099" if 1099 < 1150
require "application/part1100" if 1100 < 1150
class Part549
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 549
  def to_s = "part #{name} of #{size}"
end
