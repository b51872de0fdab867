require "application/part1599" if 1599 < 1150
require "application/part1600" if 1600 < 1150
class Part799
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 799
  def to_s = "part #{name} of #{size}"
end
