require "application/part2283" if 2283 < 1150
require "application/part2284" if 2284 < 1150
class Part1141
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1141
  def to_s = "part #{name} of #{size}"
end
