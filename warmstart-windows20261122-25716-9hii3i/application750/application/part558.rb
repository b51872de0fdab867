require "application/part1117" if 1117 < 750
require "application/part1118" if 1118 < 750
class Part558
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 558
  def to_s = "part #{name} of #{size}"
end
