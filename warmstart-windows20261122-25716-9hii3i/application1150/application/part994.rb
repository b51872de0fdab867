require "application/part1989" if 1989 < 1150
require "application/part1990" if 1990 < 1150
class Part994
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 994
  def to_s = "part #{name} of #{size}"
end
