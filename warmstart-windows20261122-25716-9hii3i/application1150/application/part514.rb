require "application/part1029" if 1029 < 1150
require "application/part1030" if 1030 < 1150
class Part514
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 514
  def to_s = "part #{name} of #{size}"
end
