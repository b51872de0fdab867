require "application/part1781" if 1781 < 1150
require "application/part1782" if 1782 < 1150
class Part890
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 890
  def to_s = "part #{name} of #{size}"
end
