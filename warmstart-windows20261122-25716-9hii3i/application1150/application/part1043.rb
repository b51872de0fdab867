require "application/part2087" if 2087 < 1150
require "application/part2088" if 2088 < 1150
class Part1043
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1043
  def to_s = "part #{name} of #{size}"
end
