require "application/part1511" if 1511 < 1150
require "application/part1512" if 1512 < 1150
class Part755
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 755
  def to_s = "part #{name} of #{size}"
end
