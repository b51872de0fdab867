require "application/part1843" if 1843 < 1150
require "application/part1844" if 1844 < 1150
class Part921
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 921
  def to_s = "part #{name} of #{size}"
end
