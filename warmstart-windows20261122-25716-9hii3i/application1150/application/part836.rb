require "application/part1673" if 1673 < 1150
require "application/part1674" if 1674 < 1150
class Part836
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 836
  def to_s = "part #{name} of #{size}"
end
