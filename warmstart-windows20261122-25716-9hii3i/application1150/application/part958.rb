require "application/part1917" if 1917 < 1150
require "application/part1918" if 1918 < 1150
class Part958
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 958
  def to_s = "part #{name} of #{size}"
end
