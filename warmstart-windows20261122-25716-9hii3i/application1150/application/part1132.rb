require "application/part2265" if 2265 < 1150
require "application/part2266" if 2266 < 1150
class Part1132
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1132
  def to_s = "part #{name} of #{size}"
end
