require "application/part1523" if 1523 < 1150
require "application/part1524" if 1524 < 1150
class Part761
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 761
  def to_s = "part #{name} of #{size}"
end
