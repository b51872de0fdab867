require "application/part1907" if 1907 < 1150
require "application/part1908" if 1908 < 1150
class Part953
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 953
  def to_s = "part #{name} of #{size}"
end
