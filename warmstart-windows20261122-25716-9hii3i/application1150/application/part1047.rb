require "application/part2095" if 2095 < 1150
require "application/part2096" if 2096 < 1150
class Part1047
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1047
  def to_s = "part #{name} of #{size}"
end
