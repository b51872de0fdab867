require "application/part2057" if 2057 < 1150
require "application/part2058" if 2058 < 1150
class Part1028
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1028
  def to_s = "part #{name} of #{size}"
end
