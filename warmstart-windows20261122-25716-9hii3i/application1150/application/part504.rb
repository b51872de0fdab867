require "application/part1009" if 1009 < 1150
require "application/part1010" if 1010 < 1150
class Part504
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 504
  def to_s = "part #{name} of #{size}"
end
