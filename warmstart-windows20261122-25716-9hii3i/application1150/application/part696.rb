require "application/part1393" if 1393 < 1150
require "application/part1394" if 1394 < 1150
class Part696
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 696
  def to_s = "part #{name} of #{size}"
end
