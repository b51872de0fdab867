require "application/part1699" if 1699 < 1150
require "application/part1700" if 1700 < 1150
class Part849
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 849
  def to_s = "part #{name} of #{size}"
end
