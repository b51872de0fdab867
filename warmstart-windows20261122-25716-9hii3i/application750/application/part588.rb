require "application/part1177" if 1177 < 750
require "application/part1178" if 1178 < 750
class Part588
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 588
  def to_s = "part #{name} of #{size}"
end
