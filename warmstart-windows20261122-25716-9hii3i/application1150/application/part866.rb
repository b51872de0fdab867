require "application/part1733" if 1733 < 1150
require "application/part1734" if 1734 < 1150
class Part866
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 866
  def to_s = "part #{name} of #{size}"
end
