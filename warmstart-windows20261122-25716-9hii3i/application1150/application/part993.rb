require "application/part1987" if 1987 < 1150
require "application/part1988" if 1988 < 1150
class Part993
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 993
  def to_s = "part #{name} of #{size}"
end
