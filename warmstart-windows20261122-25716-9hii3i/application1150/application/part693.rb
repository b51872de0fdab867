require "application/part1387" if 1387 < 1150
require "application/part1388" if 1388 < 1150
class Part693
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 693
  def to_s = "part #{name} of #{size}"
end
