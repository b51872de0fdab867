require "application/part2185" if 2185 < 1150
require "application/part2186" if 2186 < 1150
class Part1092
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1092
  def to_s = "part #{name} of #{size}"
end
