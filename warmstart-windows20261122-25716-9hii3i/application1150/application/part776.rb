require "application/part1553" if 1553 < 1150
require "application/part1554" if 1554 < 1150
class Part776
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 776
  def to_s = "part #{name} of #{size}"
end
