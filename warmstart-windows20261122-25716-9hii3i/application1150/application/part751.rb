require "application/part1503" if 1503 < 1150
require "application/part1504" if 1504 < 1150
class Part751
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 751
  def to_s = "part #{name} of #{size}"
end
