require "application/part2159" if 2159 < 1150
require "application/part2160" if 2160 < 1150
class Part1079
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1079
  def to_s = "part #{name} of #{size}"
end
