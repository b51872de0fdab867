require "application/part2151" if 2151 < 1150
require "application/part2152" if 2152 < 1150
class Part1075
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1075
  def to_s = "part #{name} of #{size}"
end
