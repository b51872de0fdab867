require "application/part2287" if 2287 < 1150
require "application/part2288" if 2288 < 1150
class Part1143
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1143
  def to_s = "part #{name} of #{size}"
end
