require "application/part2089" if 2089 < 1150
require "application/part2090" if 2090 < 1150
class Part1044
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1044
  def to_s = "part #{name} of #{size}"
end
