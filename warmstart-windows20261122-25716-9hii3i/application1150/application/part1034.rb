require "application/part2069" if 2069 < 1150
require "application/part2070" if 2070 < 1150
class Part1034
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1034
  def to_s = "part #{name} of #{size}"
end
