require "application/part1183" if 1183 < 750
require "application/part1184" if 1184 < 750
class Part591
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 591
  def to_s = "part #{name} of #{size}"
end
