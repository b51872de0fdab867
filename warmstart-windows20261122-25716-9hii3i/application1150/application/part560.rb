require "application/part1121" if 1121 < 1150
require "application/part1122" if 1122 < 1150
class Part560
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 560
  def to_s = "part #{name} of #{size}"
end
