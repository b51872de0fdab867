require "application/part1133" if 1133 < 750
require "application/part1134" if 1134 < 750
class Part566
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 566
  def to_s = "part #{name} of #{size}"
end
