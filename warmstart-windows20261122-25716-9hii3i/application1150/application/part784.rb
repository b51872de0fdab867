require "application/part1569" if 1569 < 1150
require "application/part1570" if 1570 < 1150
class Part784
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 784
  def to_s = "part #{name} of #{size}"
end
