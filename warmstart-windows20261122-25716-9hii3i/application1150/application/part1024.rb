require "application/part2049" if 2049 < 1150
require "application/part2050" if 2050 < 1150
class Part1024
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1024
  def to_s = "part #{name} of #{size}"
end
