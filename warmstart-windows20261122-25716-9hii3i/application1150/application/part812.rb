require "application/part1625" if 1625 < 1150
require "application/part1626" if 1626 < 1150
class Part812
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 812
  def to_s = "part #{name} of #{size}"
end
