require "application/part2193" if 2193 < 1150
require "application/part2194" if 2194 < 1150
class Part1096
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1096
  def to_s = "part #{name} of #{size}"
end
