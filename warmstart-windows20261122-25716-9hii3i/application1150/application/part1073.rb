require "application/part2147" if 2147 < 1150
require "application/part2148" if 2148 < 1150
class Part1073
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1073
  def to_s = "part #{name} of #{size}"
end
