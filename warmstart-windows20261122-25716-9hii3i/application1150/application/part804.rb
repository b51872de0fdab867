require "application/part1609" if 1609 < 1150
require "application/part1610" if 1610 < 1150
class Part804
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 804
  def to_s = "part #{name} of #{size}"
end
