require "application/part1835" if 1835 < 1150
require "application/part1836" if 1836 < 1150
class Part917
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 917
  def to_s = "part #{name} of #{size}"
end
