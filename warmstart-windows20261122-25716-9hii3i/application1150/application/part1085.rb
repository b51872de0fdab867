require "application/part2171" if 2171 < 1150
require "application/part2172" if 2172 < 1150
class Part1085
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1085
  def to_s = "part #{name} of #{size}"
end
