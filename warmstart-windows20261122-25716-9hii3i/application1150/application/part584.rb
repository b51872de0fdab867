require "application/part1169" if 1169 < 1150
require "application/part1170" if 1170 < 1150
class Part584
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 584
  def to_s = "part #{name} of #{size}"
end
