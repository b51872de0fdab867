require "application/part1489" if 1489 < 750
require "application/part1490" if 1490 < 750
class Part744
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 744
  def to_s = "part #{name} of #{size}"
end
