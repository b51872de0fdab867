require "application/part1813" if 1813 < 1150
require "application/part1814" if 1814 < 1150
class Part906
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 906
  def to_s = "part #{name} of #{size}"
end
