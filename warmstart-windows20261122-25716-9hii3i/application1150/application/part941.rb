require "application/part1883" if 1883 < 1150
require "application/part1884" if 1884 < 1150
class Part941
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 941
  def to_s = "part #{name} of #{size}"
end
