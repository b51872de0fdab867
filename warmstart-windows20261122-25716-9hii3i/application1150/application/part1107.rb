require "application/part2215" if 2215 < 1150
require "application/part2216" if 2216 < 1150
class Part1107
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1107
  def to_s = "part #{name} of #{size}"
end
