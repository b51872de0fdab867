require "application/part1125" if 1125 < 1150
require "application/part1126" if 1126 < 1150
class Part562
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 562
  def to_s = "part #{name} of #{size}"
end
