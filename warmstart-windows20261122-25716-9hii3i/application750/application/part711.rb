require "application/part1423" if 1423 < 750
require "application/part1424" if 1424 < 750
class Part711
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 711
  def to_s = "part #{name} of #{size}"
end
