require "application/part2037" if 2037 < 1150
require "application/part2038" if 2038 < 1150
class Part1018
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1018
  def to_s = "part #{name} of #{size}"
end
