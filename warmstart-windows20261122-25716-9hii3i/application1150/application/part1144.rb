require "application/part2289" if 2289 < 1150
require "application/part2290" if 2290 < 1150
class Part1144
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1144
  def to_s = "part #{name} of #{size}"
end
