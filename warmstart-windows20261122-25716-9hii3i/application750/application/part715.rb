require "application/part1431" if 1431 < 750
require "application/part1432" if 1432 < 750
class Part715
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 715
  def to_s = "part #{name} of #{size}"
end
