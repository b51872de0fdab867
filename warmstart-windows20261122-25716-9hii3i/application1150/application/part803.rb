require "application/part1607" if 1607 < 1150
require "application/part1608" if 1608 < 1150
class Part803
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 803
  def to_s = "part #{name} of #{size}"
end
