require "application/part1529" if 1529 < 1150
require "application/part1530" if 1530 < 1150
class Part764
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 764
  def to_s = "part #{name} of #{size}"
end
