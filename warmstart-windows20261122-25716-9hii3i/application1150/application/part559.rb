require "application/part1119" if 1119 < 1150
require "application/part1120" if 1120 < 1150
class Part559
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 559
  def to_s = "part #{name} of #{size}"
end
