require "application/part2205" if 2205 < 1150
require "application/part2206" if 2206 < 1150
class Part1102
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1102
  def to_s = "part #{name} of #{size}"
end
