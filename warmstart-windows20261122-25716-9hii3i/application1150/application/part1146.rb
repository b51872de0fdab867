require "application/part2293" if 2293 < 1150
require "application/part2294" if 2294 < 1150
class Part1146
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1146
  def to_s = "part #{name} of #{size}"
end
