require "application/part1779" if 1779 < 1150
require "application/part1780" if 1780 < 1150
class Part889
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 889
  def to_s = "part #{name} of #{size}"
end
