require "application/part2111" if 2111 < 1150
require "application/part2112" if 2112 < 1150
class Part1055
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1055
  def to_s = "part #{name} of #{size}"
end
