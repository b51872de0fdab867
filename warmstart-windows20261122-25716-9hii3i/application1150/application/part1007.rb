require "application/part2015" if 2015 < 1150
require "application/part2016" if 2016 < 1150
class Part1007
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1007
  def to_s = "part #{name} of #{size}"
end
