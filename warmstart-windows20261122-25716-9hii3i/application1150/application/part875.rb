require "application/part1751" if 1751 < 1150
require "application/part1752" if 1752 < 1150
class Part875
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 875
  def to_s = "part #{name} of #{size}"
end
