require "application/part1337" if 1337 < 750
require "application/part1338" if 1338 < 750
class Part668
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 668
  def to_s = "part #{name} of #{size}"
end
