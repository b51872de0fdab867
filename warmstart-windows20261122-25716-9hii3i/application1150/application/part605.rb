require "application/part1211" if 1211 < 1150
require "application/part1212" if 1212 < 1150
class Part605
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 605
  def to_s = "part #{name} of #{size}"
end
