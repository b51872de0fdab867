require "application/part1345" if 1345 < 750
require "application/part1346" if 1346 < 750
class Part672
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 672
  def to_s = "part #{name} of #{size}"
end
