require "application/part1739" if 1739 < 1150
require "application/part1740" if 1740 < 1150
class Part869
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 869
  def to_s = "part #{name} of #{size}"
end
