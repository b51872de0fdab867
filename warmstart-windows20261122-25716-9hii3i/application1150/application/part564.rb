require "application/part1129" if 1129 < 1150
require "application/part1130" if 1130 < 1150
class Part564
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 564
  def to_s = "part #{name} of #{size}"
end
