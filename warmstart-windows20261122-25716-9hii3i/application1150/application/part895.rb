require "application/part1791" if 1791 < 1150
require "application/part1792" if 1792 < 1150
class Part895
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 895
  def to_s = "part #{name} of #{size}"
end
