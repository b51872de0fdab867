require "application/part1509" if 1509 < 1150
require "application/part1510" if 1510 < 1150
class Part754
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 754
  def to_s = "part #{name} of #{size}"
end
