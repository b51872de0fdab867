require "application/part1743" if 1743 < 1150
require "application/part1744" if 1744 < 1150
class Part871
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 871
  def to_s = "part #{name} of #{size}"
end
