require "application/part1601" if 1601 < 1150
require "application/part1602" if 1602 < 1150
class Part800
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 800
  def to_s = "part #{name} of #{size}"
end
