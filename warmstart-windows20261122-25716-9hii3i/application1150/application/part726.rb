require "application/part1453" if 1453 < 1150
require "application/part1454" if 1454 < 1150
class Part726
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 726
  def to_s = "part #{name} of #{size}"
end
