require "application/part1697" if 1697 < 1150
require "application/part1698" if 1698 < 1150
class Part848
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 848
  def to_s = "part #{name} of #{size}"
end
