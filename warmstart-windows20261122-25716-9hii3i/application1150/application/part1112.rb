require "application/part2225" if 2225 < 1150
require "application/part2226" if 2226 < 1150
class Part1112
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1112
  def to_s = "part #{name} of #{size}"
end
