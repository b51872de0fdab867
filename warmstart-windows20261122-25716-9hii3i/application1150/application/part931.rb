require "application/part1863" if 1863 < 1150
require "application/part1864" if 1864 < 1150
class Part931
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 931
  def to_s = "part #{name} of #{size}"
end
