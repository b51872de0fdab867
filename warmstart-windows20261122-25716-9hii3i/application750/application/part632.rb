require "application/part1265" if 1265 < 750
require "application/part1266" if 1266 < 750
class Part632
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 632
  def to_s = "part #{name} of #{size}"
end
