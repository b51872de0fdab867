require "application/part2083" if 2083 < 1150
require "application/part2084" if 2084 < 1150
class Part1041
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1041
  def to_s = "part #{name} of #{size}"
end
