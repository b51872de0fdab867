require "application/part2163" if 2163 < 1150
require "application/part2164" if 2164 < 1150
class Part1081
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1081
  def to_s = "part #{name} of #{size}"
end
