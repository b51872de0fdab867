require "application/part1687" if 1687 < 1150
require "application/part1688" if 1688 < 1150
class Part843
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 843
  def to_s = "part #{name} of #{size}"
end
