require "application/part2113" if 2113 < 1150
require "application/part2114" if 2114 < 1150
class Part1056
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1056
  def to_s = "part #{name} of #{size}"
end
