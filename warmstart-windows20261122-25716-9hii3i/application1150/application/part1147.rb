require "application/part2295" if 2295 < 1150
require "application/part2296" if 2296 < 1150
class Part1147
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1147
  def to_s = "part #{name} of #{size}"
end
