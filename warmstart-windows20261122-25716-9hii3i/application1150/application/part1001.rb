require "application/part2003" if 2003 < 1150
require "application/part2004" if 2004 < 1150
class Part1001
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1001
  def to_s = "part #{name} of #{size}"
end
