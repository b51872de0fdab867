require "application/part2271" if 2271 < 1150
require "application/part2272" if 2272 < 1150
class Part1135
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1135
  def to_s = "part #{name} of #{size}"
end
