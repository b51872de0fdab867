require "application/part1695" if 1695 < 1150
require "application/part1696" if 1696 < 1150
class Part847
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 847
  def to_s = "part #{name} of #{size}"
end
