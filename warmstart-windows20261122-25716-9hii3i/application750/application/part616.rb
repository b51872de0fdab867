require "application/part1233" if 1233 < 750
require "application/part1234" if 1234 < 750
class Part616
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 616
  def to_s = "part #{name} of #{size}"
end
