require "application/part1263" if 1263 < 750
require "application/part1264" if 1264 < 750
class Part631
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 631
  def to_s = "part #{name} of #{size}"
end
