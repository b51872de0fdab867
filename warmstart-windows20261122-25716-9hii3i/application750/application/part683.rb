require "application/part1367" if 1367 < 750
require "application/part1368" if 1368 < 750
class Part683
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 683
  def to_s = "part #{name} of #{size}"
end
