require "application/part2191" if 2191 < 1150
require "application/part2192" if 2192 < 1150
class Part1095
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1095
  def to_s = "part #{name} of #{size}"
end
