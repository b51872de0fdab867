require "application/part2011" if 2011 < 1150
require "application/part2012" if 2012 < 1150
class Part1005
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1005
  def to_s = "part #{name} of #{size}"
end
