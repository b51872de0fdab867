require "application/part1323" if 1323 < 750
require "application/part1324" if 1324 < 750
class Part661
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 661
  def to_s = "part #{name} of #{size}"
end
