require "application/part1473" if 1473 < 750
require "application/part1474" if 1474 < 750
class Part736
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 736
  def to_s = "part #{name} of #{size}"
end
