require "application/part1139" if 1139 < 1150
require "application/part1140" if 1140 < 1150
class Part569
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 569
  def to_s = "part #{name} of #{size}"
end
