require "application/part1745" if 1745 < 1150
require "application/part1746" if 1746 < 1150
class Part872
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 872
  def to_s = "part #{name} of #{size}"
end
