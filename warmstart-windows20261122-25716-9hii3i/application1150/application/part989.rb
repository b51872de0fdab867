require "application/part1979" if 1979 < 1150
require "application/part1980" if 1980 < 1150
class Part989
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 989
  def to_s = "part #{name} of #{size}"
end
