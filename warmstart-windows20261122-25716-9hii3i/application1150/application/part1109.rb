require "application/part2219" if 2219 < 1150
require "application/part2220" if 2220 < 1150
class Part1109
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1109
  def to_s = "part #{name} of #{size}"
end
