require "application/part1107" if 1107 < 1150
require "application/part1108" if 1108 < 1150
class Part553
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 553
  def to_s = "part #{name} of #{size}"
end
