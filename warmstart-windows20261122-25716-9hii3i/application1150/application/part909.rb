require "application/part1819" if 1819 < 1150
require "application/part1820" if 1820 < 1150
class Part909
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 909
  def to_s = "part #{name} of #{size}"
end
