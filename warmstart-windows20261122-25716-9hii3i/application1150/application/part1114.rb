require "application/part2229" if 2229 < 1150
require "application/part2230" if 2230 < 1150
class Part1114
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1114
  def to_s = "part #{name} of #{size}"
end
