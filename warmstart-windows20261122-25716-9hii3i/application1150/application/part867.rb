require "application/part1735" if 1735 < 1150
require "application/part1736" if 1736 < 1150
class Part867
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 867
  def to_s = "part #{name} of #{size}"
end
