require "application/part2235" if 2235 < 1150
require "application/part2236" if 2236 < 1150
class Part1117
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1117
  def to_s = "part #{name} of #{size}"
end
