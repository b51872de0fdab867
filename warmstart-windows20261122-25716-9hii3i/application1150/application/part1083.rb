require "application/part2167" if 2167 < 1150
require "application/part2168" if 2168 < 1150
class Part1083
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1083
  def to_s = "part #{name} of #{size}"
end
