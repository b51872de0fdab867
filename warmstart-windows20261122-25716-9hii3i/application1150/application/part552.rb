require "application/part1105" if 1105 < 1150
require "application/part1106" if 1106 < 1150
class Part552
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 552
  def to_s = "part #{name} of #{size}"
end
