require "application/part2203" if 2203 < 1150
require "application/part2204" if 2204 < 1150
class Part1101
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1101
  def to_s = "part #{name} of #{size}"
end
