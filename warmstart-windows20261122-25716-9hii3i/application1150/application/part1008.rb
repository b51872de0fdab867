require "application/part2017" if 2017 < 1150
require "application/part2018" if 2018 < 1150
class Part1008
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1008
  def to_s = "part #{name} of #{size}"
end
