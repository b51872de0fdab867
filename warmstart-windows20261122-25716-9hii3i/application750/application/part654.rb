require "application/part1309" if 1309 < 750
require "application/part1310" if 1310 < 750
class Part654
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 654
  def to_s = "part #{name} of #{size}"
end
