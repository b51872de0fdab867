require "application/part2143" if 2143 < 1150
require "application/part2144" if 2144 < 1150
class Part1071
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1071
  def to_s = "part #{name} of #{size}"
end
