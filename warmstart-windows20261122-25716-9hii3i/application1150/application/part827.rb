require "application/part1655" if 1655 < 1150
require "application/part1656" if 1656 < 1150
class Part827
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 827
  def to_s = "part #{name} of #{size}"
end
