require "application/part1969" if 1969 < 1150
require "application/part1970" if 1970 < 1150
class Part984
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 984
  def to_s = "part #{name} of #{size}"
end
