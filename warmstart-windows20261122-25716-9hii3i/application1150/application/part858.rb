require "application/part1717" if 1717 < 1150
require "application/part1718" if 1718 < 1150
class Part858
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 858
  def to_s = "part #{name} of #{size}"
end
