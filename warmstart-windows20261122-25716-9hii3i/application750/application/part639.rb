require "application/part1279" if 1279 < 750
require "application/part1280" if 1280 < 750
class Part639
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 639
  def to_s = "part #{name} of #{size}"
end
