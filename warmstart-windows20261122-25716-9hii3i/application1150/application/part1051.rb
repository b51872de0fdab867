require "application/part2103" if 2103 < 1150
require "application/part2104" if 2104 < 1150
class Part1051
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1051
  def to_s = "part #{name} of #{size}"
end
