require "application/part1057" if 1057 < 750
require "application/part1058" if 1058 < 750
class Part528
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 528
  def to_s = "part #{name} of #{size}"
end
