require "application/part1137" if 1137 < 1150
require "application/part1138" if 1138 < 1150
class Part568
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 568
  def to_s = "part #{name} of #{size}"
end
