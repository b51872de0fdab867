require "application/part1077" if 1077 < 750
require "application/part1078" if 1078 < 750
class Part538
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 538
  def to_s = "part #{name} of #{size}"
end
