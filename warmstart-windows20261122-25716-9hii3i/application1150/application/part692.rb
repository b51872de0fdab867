require "application/part1385" if 1385 < 1150
require "application/part1386" if 1386 < 1150
class Part692
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 692
  def to_s = "part #{name} of #{size}"
end
