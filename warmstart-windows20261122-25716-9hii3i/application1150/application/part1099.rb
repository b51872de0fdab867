require "application/part2199" if 2199 < 1150
require "application/part2200" if 2200 < 1150
class Part1099
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1099
  def to_s = "part #{name} of #{size}"
end
