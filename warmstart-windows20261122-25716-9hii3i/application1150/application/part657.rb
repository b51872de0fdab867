require "application/part1315" if 1315 < 1150
require "application/part1316" if 1316 < 1150
class Part657
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 657
  def to_s = "part #{name} of #{size}"
end
