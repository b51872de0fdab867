require "application/part2213" if 2213 < 1150
require "application/part2214" if 2214 < 1150
class Part1106
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1106
  def to_s = "part #{name} of #{size}"
end
