require "application/part1785" if 1785 < 1150
require "application/part1786" if 1786 < 1150
class Part892
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 892
  def to_s = "part #{name} of #{size}"
end
