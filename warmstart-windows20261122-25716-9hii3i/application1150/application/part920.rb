require "application/part1841" if 1841 < 1150
require "application/part1842" if 1842 < 1150
class Part920
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 920
  def to_s = "part #{name} of #{size}"
end
