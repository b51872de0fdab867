require "application/part1895" if 1895 < 1150
require "application/part1896" if 1896 < 1150
class Part947
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 947
  def to_s = "part #{name} of #{size}"
end
