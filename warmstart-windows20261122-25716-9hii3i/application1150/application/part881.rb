require "application/part1763" if 1763 < 1150
require "application/part1764" if 1764 < 1150
class Part881
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 881
  def to_s = "part #{name} of #{size}"
end
