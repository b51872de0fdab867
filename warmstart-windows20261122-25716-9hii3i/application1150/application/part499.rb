require "application/part999" if 999 < 1150
require "application/part1000" if 1000 < 1150
class Part499
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 499
  def to_s = "part #{name} of #{size}"
end
