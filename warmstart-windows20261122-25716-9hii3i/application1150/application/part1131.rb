require "application/part2263" if 2263 < 1150
require "application/part2264" if 2264 < 1150
class Part1131
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1131
  def to_s = "part #{name} of #{size}"
end
