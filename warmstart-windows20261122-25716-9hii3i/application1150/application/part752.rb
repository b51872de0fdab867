require "application/part1505" if 1505 < 1150
require "application/part1506" if 1506 < 1150
class Part752
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 752
  def to_s = "part #{name} of #{size}"
end
