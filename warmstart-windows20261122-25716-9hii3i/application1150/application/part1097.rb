require "application/part2195" if 2195 < 1150
require "application/part2196" if 2196 < 1150
class Part1097
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1097
  def to_s = "part #{name} of #{size}"
end
