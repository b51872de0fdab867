require "application/part1127" if 1127 < 750
require "application/part1128" if 1128 < 750
class Part563
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 563
  def to_s = "part #{name} of #{size}"
end
