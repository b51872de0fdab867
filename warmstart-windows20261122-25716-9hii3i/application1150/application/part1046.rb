require "application/part2093" if 2093 < 1150
require "application/part2094" if 2094 < 1150
class Part1046
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1046
  def to_s = "part #{name} of #{size}"
end
