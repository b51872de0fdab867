require "application/part1729" if 1729 < 1150
require "application/part1730" if 1730 < 1150
class Part864
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 864
  def to_s = "part #{name} of #{size}"
end
