require "application/part1731" if 1731 < 1150
require "application/part1732" if 1732 < 1150
class Part865
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 865
  def to_s = "part #{name} of #{size}"
end
