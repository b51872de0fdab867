require "application/part1149" if 1149 < 750
require "application/part1150" if 1150 < 750
class Part574
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 574
  def to_s = "part #{name} of #{size}"
end
