require "application/part2145" if 2145 < 1150
require "application/part2146" if 2146 < 1150
class Part1072
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1072
  def to_s = "part #{name} of #{size}"
end
