require "application/part1065" if 1065 < 1150
require "application/part1066" if 1066 < 1150
class Part532
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 532
  def to_s = "part #{name} of #{size}"
end
