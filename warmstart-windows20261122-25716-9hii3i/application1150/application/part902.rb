require "application/part1805" if 1805 < 1150
require "application/part1806" if 1806 < 1150
class Part902
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 902
  def to_s = "part #{name} of #{size}"
end
