require "application/part2005" if 2005 < 1150
require "application/part2006" if 2006 < 1150
class Part1002
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1002
  def to_s = "part #{name} of #{size}"
end
