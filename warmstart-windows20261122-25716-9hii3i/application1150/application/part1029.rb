require "application/part2059" if 2059 < 1150
require "application/part2060" if 2060 < 1150
class Part1029
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1029
  def to_s = "part #{name} of #{size}"
end
