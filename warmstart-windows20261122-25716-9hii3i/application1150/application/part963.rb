require "application/part1927" if 1927 < 1150
require "application/part1928" if 1928 < 1150
class Part963
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 963
  def to_s = "part #{name} of #{size}"
end
