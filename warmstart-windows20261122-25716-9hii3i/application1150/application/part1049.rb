require "application/part2099" if 2099 < 1150
require "application/part2100" if 2100 < 1150
class Part1049
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1049
  def to_s = "part #{name} of #{size}"
end
