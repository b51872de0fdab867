require "application/part1513" if 1513 < 1150
require "application/part1514" if 1514 < 1150
class Part756
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 756
  def to_s = "part #{name} of #{size}"
end
