require "application/part1347" if 1347 < 750
require "application/part1348" if 1348 < 750
class Part673
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 673
  def to_s = "part #{name} of #{size}"
end
