require "application/part1441" if 1441 < 1150
require "application/part1442" if 1442 < 1150
class Part720
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 720
  def to_s = "part #{name} of #{size}"
end
