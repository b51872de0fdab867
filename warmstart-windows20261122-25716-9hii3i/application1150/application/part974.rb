require "application/part1949" if 1949 < 1150
require "application/part1950" if 1950 < 1150
class Part974
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 974
  def to_s = "part #{name} of #{size}"
end
