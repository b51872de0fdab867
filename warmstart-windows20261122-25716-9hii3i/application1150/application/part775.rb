require "application/part1551" if 1551 < 1150
require "application/part1552" if 1552 < 1150
class Part775
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 775
  def to_s = "part #{name} of #{size}"
end
