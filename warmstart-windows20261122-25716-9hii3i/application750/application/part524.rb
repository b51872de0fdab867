require "application/part1049" if 1049 < 750
require "application/part1050" if 1050 < 750
class Part524
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 524
  def to_s = "part #{name} of #{size}"
end
