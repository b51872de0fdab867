require "application/part1959" if 1959 < 1150
require "application/part1960" if 1960 < 1150
class Part979
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 979
  def to_s = "part #{name} of #{size}"
end
