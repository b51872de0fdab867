require "application/part1765" if 1765 < 1150
require "application/part1766" if 1766 < 1150
class Part882
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 882
  def to_s = "part #{name} of #{size}"
end
