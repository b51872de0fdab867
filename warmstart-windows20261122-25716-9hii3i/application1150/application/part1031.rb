require "application/part2063" if 2063 < 1150
require "application/part2064" if 2064 < 1150
class Part1031
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1031
  def to_s = "part #{name} of #{size}"
end
