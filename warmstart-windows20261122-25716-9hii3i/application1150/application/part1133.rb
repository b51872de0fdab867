require "application/part2267" if 2267 < 1150
require "application/part2268" if 2268 < 1150
class Part1133
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1133
  def to_s = "part #{name} of #{size}"
end
