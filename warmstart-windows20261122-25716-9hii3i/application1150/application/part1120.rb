require "application/part2241" if 2241 < 1150
require "application/part2242" if 2242 < 1150
class Part1120
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1120
  def to_s = "part #{name} of #{size}"
end
