require "application/part1483" if 1483 < 750
require "application/part1484" if 1484 < 750
class Part741
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 741
  def to_s = "part #{name} of #{size}"
end
