require "application/part1011" if 1011 < 1150
require "application/part1012" if 1012 < 1150
class Part505
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 505
  def to_s = "part #{name} of #{size}"
end
