require "application/part1995" if 1995 < 1150
require "application/part1996" if 1996 < 1150
class Part997
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 997
  def to_s = "part #{name} of #{size}"
end
