require "application/part1333" if 1333 < 1150
require "application/part1334" if 1334 < 1150
class Part666
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 666
  def to_s = "part #{name} of #{size}"
end
