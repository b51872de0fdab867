require "application/part1297" if 1297 < 1150
require "application/part1298" if 1298 < 1150
class Part648
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 648
  def to_s = "part #{name} of #{size}"
end
