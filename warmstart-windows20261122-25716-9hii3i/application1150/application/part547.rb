require "application/part1095" if 1095 < 1150
require "application/part1096" if 1096 < 1150
class Part547
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 547
  def to_s = "part #{name} of #{size}"
end
