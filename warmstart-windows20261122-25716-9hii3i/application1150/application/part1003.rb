require "application/part2007" if 2007 < 1150
require "application/part2008" if 2008 < 1150
class Part1003
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1003
  def to_s = "part #{name} of #{size}"
end
