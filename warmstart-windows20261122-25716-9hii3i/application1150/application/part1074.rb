require "application/part2149" if 2149 < 1150
require "application/part2150" if 2150 < 1150
class Part1074
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1074
  def to_s = "part #{name} of #{size}"
end
