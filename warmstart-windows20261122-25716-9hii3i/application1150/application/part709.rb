require "application/part1419" if 1419 < 1150
require "application/part1420" if 1420 < 1150
class Part709
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 709
  def to_s = "part #{name} of #{size}"
end
