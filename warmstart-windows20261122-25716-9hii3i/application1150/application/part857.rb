require "application/part1715" if 1715 < 1150
require "application/part1716" if 1716 < 1150
class Part857
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 857
  def to_s = "part #{name} of #{size}"
end
