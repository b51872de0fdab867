require "application/part2161" if 2161 < 1150
require "application/part2162" if 2162 < 1150
class Part1080
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1080
  def to_s = "part #{name} of #{size}"
end
