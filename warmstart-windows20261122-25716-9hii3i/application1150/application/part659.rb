require "application/part1319" if 1319 < 1150
require "application/part1320" if 1320 < 1150
class Part659
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 659
  def to_s = "part #{name} of #{size}"
end
