require "application/part1045" if 1045 < 1150
require "application/part1046" if 1046 < 1150
class Part522
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 522
  def to_s = "part #{name} of #{size}"
end
