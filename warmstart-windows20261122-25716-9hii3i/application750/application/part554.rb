require "application/part1109" if 1109 < 750
require "application/part1110" if 1110 < 750
class Part554
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 554
  def to_s = "part #{name} of #{size}"
end
