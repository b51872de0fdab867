require "application/part1005" if 1005 < 750
require "application/part1006" if 1006 < 750
class Part502
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 502
  def to_s = "part #{name} of #{size}"
end
