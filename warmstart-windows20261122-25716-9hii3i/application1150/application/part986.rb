require "application/part1973" if 1973 < 1150
require "application/part1974" if 1974 < 1150
class Part986
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 986
  def to_s = "part #{name} of #{size}"
end
