require "application/part1611" if 1611 < 1150
require "application/part1612" if 1612 < 1150
class Part805
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 805
  def to_s = "part #{name} of #{size}"
end
