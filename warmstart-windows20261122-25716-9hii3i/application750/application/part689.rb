require "application/part1379" if 1379 < 750
require "application/part1380" if 1380 < 750
class Part689
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 689
  def to_s = "part #{name} of #{size}"
end
