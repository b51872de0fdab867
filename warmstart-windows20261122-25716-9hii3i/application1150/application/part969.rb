require "application/part1939" if 1939 < 1150
require "application/part1940" if 1940 < 1150
class Part969
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 969
  def to_s = "part #{name} of #{size}"
end
