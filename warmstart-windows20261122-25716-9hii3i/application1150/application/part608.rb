require "application/part1217" if 1217 < 1150
require "application/part1218" if 1218 < 1150
class Part608
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 608
  def to_s = "part #{name} of #{size}"
end
