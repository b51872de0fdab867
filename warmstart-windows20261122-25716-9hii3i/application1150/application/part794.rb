require "application/part1589" if 1589 < 1150
require "application/part1590" if 1590 < 1150
class Part794
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 794
  def to_s = "part #{name} of #{size}"
end
