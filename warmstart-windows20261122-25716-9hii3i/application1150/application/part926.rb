require "application/part1853" if 1853 < 1150
require "application/part1854" if 1854 < 1150
class Part926
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 926
  def to_s = "part #{name} of #{size}"
end
