require "application/part2251" if 2251 < 1150
require "application/part2252" if 2252 < 1150
class Part1125
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1125
  def to_s = "part #{name} of #{size}"
end
