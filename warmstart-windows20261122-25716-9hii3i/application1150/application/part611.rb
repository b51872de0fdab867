require "application/part1223" if 1223 < 1150
require "application/part1224" if 1224 < 1150
class Part611
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 611
  def to_s = "part #{name} of #{size}"
end
