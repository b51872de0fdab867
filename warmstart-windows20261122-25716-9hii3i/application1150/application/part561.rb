require "application/part1123" if 1123 < 1150
require "application/part1124" if 1124 < 1150
class Part561
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 561
  def to_s = "part #{name} of #{size}"
end
