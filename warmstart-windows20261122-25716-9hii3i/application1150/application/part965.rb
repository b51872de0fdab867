require "application/part1931" if 1931 < 1150
require "application/part1932" if 1932 < 1150
class Part965
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 965
  def to_s = "part #{name} of #{size}"
end
