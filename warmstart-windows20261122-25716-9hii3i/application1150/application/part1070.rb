require "application/part2141" if 2141 < 1150
require "application/part2142" if 2142 < 1150
class Part1070
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1070
  def to_s = "part #{name} of #{size}"
end
