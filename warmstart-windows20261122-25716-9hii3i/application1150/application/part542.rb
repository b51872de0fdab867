require "application/part1085" if 1085 < 1150
require "application/part1086" if 1086 < 1150
class Part542
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 542
  def to_s = "part #{name} of #{size}"
end
