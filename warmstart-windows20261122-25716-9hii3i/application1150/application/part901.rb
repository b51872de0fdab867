require "application/part1803" if 1803 < 1150
require "application/part1804" if 1804 < 1150
class Part901
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 901
  def to_s = "part #{name} of #{size}"
end
