require "application/part1075" if 1075 < 1150
require "application/part1076" if 1076 < 1150
class Part537
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 537
  def to_s = "part #{name} of #{size}"
end
