require "application/part1635" if 1635 < 1150
require "application/part1636" if 1636 < 1150
class Part817
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 817
  def to_s = "part #{name} of #{size}"
end
