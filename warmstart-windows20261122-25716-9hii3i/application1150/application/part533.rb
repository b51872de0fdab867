require "application/part1067" if 1067 < 1150
require "application/part1068" if 1068 < 1150
class Part533
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 533
  def to_s = "part #{name} of #{size}"
end
