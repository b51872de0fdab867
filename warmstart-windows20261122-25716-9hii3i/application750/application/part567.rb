require "application/part1135" if 1135 < 750
require "application/part1136" if 1136 < 750
class Part567
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 567
  def to_s = "part #{name} of #{size}"
end
