require "application/part1041" if 1041 < 750
require "application/part1042" if 1042 < 750
class Part520
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 520
  def to_s = "part #{name} of #{size}"
end
