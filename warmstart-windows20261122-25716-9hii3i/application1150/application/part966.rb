require "application/part1933" if 1933 < 1150
require "application/part1934" if 1934 < 1150
class Part966
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 966
  def to_s = "part #{name} of #{size}"
end
