require "application/part1591" if 1591 < 1150
require "application/part1592" if 1592 < 1150
class Part795
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 795
  def to_s = "part #{name} of #{size}"
end
