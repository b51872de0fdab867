require "application/part1471" if 1471 < 1150
require "application/part1472" if 1472 < 1150
class Part735
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 735
  def to_s = "part #{name} of #{size}"
end
