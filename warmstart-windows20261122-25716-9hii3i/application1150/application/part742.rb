require "application/part1485" if 1485 < 1150
require "application/part1486" if 1486 < 1150
class Part742
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 742
  def to_s = "part #{name} of #{size}"
end
