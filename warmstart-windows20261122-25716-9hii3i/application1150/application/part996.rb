require "application/part1993" if 1993 < 1150
require "application/part1994" if 1994 < 1150
class Part996
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 996
  def to_s = "part #{name} of #{size}"
end
