require "application/part1447" if 1447 < 1150
require "application/part1448" if 1448 < 1150
class Part723
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 723
  def to_s = "part #{name} of #{size}"
end
