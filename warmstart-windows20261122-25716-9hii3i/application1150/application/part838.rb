require "application/part1677" if 1677 < 1150
require "application/part1678" if 1678 < 1150
class Part838
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 838
  def to_s = "part #{name} of #{size}"
end
