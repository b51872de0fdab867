require "application/part2221" if 2221 < 1150
require "application/part2222" if 2222 < 1150
class Part1110
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1110
  def to_s = "part #{name} of #{size}"
end
