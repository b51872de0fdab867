require "application/part1999" if 1999 < 1150
require "application/part2000" if 2000 < 1150
class Part999
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 999
  def to_s = "part #{name} of #{size}"
end
