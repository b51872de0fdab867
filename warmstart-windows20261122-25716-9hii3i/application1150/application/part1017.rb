require "application/part2035" if 2035 < 1150
require "application/part2036" if 2036 < 1150
class Part1017
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1017
  def to_s = "part #{name} of #{size}"
end
