require "application/part2019" if 2019 < 1150
require "application/part2020" if 2020 < 1150
class Part1009
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1009
  def to_s = "part #{name} of #{size}"
end
