require "application/part2097" if 2097 < 1150
require "application/part2098" if 2098 < 1150
class Part1048
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1048
  def to_s = "part #{name} of #{size}"
end
