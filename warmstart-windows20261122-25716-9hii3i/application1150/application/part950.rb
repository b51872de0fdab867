require "application/part1901" if 1901 < 1150
require "application/part1902" if 1902 < 1150
class Part950
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 950
  def to_s = "part #{name} of #{size}"
end
