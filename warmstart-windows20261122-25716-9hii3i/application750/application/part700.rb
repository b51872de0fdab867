require "application/part1401" if 1401 < 750
require "application/part1402" if 1402 < 750
class Part700
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 700
  def to_s = "part #{name} of #{size}"
end
