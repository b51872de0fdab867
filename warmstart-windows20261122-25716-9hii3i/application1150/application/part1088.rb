require "application/part2177" if 2177 < 1150
require "application/part2178" if 2178 < 1150
class Part1088
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1088
  def to_s = "part #{name} of #{size}"
end
