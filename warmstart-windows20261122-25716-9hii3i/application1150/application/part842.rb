require "application/part1685" if 1685 < 1150
require "application/part1686" if 1686 < 1150
class Part842
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 842
  def to_s = "part #{name} of #{size}"
end
