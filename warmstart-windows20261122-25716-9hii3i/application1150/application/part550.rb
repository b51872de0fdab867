require "application/part1101" if 1101 < 1150
require "application/part1102" if 1102 < 1150
class Part550
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 550
  def to_s = "part #{name} of #{size}"
end
