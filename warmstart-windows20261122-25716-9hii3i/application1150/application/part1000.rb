require "application/part2001" if 2001 < 1150
require "application/part2002" if 2002 < 1150
class Part1000
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1000
  def to_s = "part #{name} of #{size}"
end
