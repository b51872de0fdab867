require "application/part2127" if 2127 < 1150
require "application/part2128" if 2128 < 1150
class Part1063
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1063
  def to_s = "part #{name} of #{size}"
end
