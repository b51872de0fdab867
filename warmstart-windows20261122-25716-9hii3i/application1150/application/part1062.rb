require "application/part2125" if 2125 < 1150
require "application/part2126" if 2126 < 1150
class Part1062
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1062
  def to_s = "part #{name} of #{size}"
end
