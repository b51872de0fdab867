require "application/part2073" if 2073 < 1150
require "application/part2074" if 2074 < 1150
class Part1036
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1036
  def to_s = "part #{name} of #{size}"
end
