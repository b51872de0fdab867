require "application/part2031" if 2031 < 1150
require "application/part2032" if 2032 < 1150
class Part1015
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1015
  def to_s = "part #{name} of #{size}"
end
