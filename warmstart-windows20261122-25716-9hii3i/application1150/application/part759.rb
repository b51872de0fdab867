require "application/part1519" if 1519 < 1150
require "application/part1520" if 1520 < 1150
class Part759
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 759
  def to_s = "part #{name} of #{size}"
end
