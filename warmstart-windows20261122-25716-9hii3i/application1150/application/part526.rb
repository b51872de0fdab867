require "application/part1053" if 1053 < 1150
require "application/part1054" if 1054 < 1150
class Part526
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 526
  def to_s = "part #{name} of #{size}"
end
