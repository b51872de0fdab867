require "application/part1855" if 1855 < 1150
require "application/part1856" if 1856 < 1150
class Part927
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 927
  def to_s = "part #{name} of #{size}"
end
