require "application/part2165" if 2165 < 1150
require "application/part2166" if 2166 < 1150
class Part1082
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1082
  def to_s = "part #{name} of #{size}"
end
