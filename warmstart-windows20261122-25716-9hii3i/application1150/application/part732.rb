require "application/part1465" if 1465 < 1150
require "application/part1466" if 1466 < 1150
class Part732
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 732
  def to_s = "part #{name} of #{size}"
end
