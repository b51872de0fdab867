require "application/part2043" if 2043 < 1150
require "application/part2044" if 2044 < 1150
class Part1021
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1021
  def to_s = "part #{name} of #{size}"
end
