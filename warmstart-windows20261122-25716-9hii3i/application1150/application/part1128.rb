require "application/part2257" if 2257 < 1150
require "application/part2258" if 2258 < 1150
class Part1128
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1128
  def to_s = "part #{name} of #{size}"
end
