require "application/part1851" if 1851 < 1150
require "application/part1852" if 1852 < 1150
class Part925
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 925
  def to_s = "part #{name} of #{size}"
end
