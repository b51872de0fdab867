require "application/part1547" if 1547 < 1150
require "application/part1548" if 1548 < 1150
class Part773
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 773
  def to_s = "part #{name} of #{size}"
end
