require "application/part2281" if 2281 < 1150
require "application/part2282" if 2282 < 1150
class Part1140
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1140
  def to_s = "part #{name} of #{size}"
end
