require "application/part1705" if 1705 < 1150
require "application/part1706" if 1706 < 1150
class Part852
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 852
  def to_s = "part #{name} of #{size}"
end
