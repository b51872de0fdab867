require "application/part1643" if 1643 < 1150
require "application/part1644" if 1644 < 1150
class Part821
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 821
  def to_s = "part #{name} of #{size}"
end
