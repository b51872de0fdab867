require "application/part1693" if 1693 < 1150
require "application/part1694" if 1694 < 1150
class Part846
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 846
  def to_s = "part #{name} of #{size}"
end
