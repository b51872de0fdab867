require "application/part2055" if 2055 < 1150
require "application/part2056" if 2056 < 1150
class Part1027
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1027
  def to_s = "part #{name} of #{size}"
end
