require "application/part2173" if 2173 < 1150
require "application/part2174" if 2174 < 1150
class Part1086
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1086
  def to_s = "part #{name} of #{size}"
end
