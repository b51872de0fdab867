require "application/part1277" if 1277 < 750
require "application/part1278" if 1278 < 750
class Part638
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 638
  def to_s = "part #{name} of #{size}"
end
