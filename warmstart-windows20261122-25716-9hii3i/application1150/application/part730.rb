require "application/part1461" if 1461 < 1150
require "application/part1462" if 1462 < 1150
class Part730
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 730
  def to_s = "part #{name} of #{size}"
end
