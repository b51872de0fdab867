require "application/part1359" if 1359 < 1150
require "application/part1360" if 1360 < 1150
class Part679
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 679
  def to_s = "part #{name} of #{size}"
end
