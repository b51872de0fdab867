require "application/part2207" if 2207 < 1150
require "application/part2208" if 2208 < 1150
class Part1103
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1103
  def to_s = "part #{name} of #{size}"
end
