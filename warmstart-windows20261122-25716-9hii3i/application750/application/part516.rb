require "application/part1033" if 1033 < 750
require "application/part1034" if 1034 < 750
class Part516
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 516
  def to_s = "part #{name} of #{size}"
end
