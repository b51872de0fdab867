require "application/part1701" if 1701 < 1150
require "application/part1702" if 1702 < 1150
class Part850
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 850
  def to_s = "part #{name} of #{size}"
end
