require "application/part1455" if 1455 < 750
require "application/part1456" if 1456 < 750
class Part727
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 727
  def to_s = "part #{name} of #{size}"
end
