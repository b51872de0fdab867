require "application/part2009" if 2009 < 1150
require "application/part2010" if 2010 < 1150
class Part1004
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1004
  def to_s = "part #{name} of #{size}"
end
