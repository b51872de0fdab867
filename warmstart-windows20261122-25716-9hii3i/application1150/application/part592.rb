require "application/part1185" if 1185 < 1150
require "application/part1186" if 1186 < 1150
class Part592
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 592
  def to_s = "part #{name} of #{size}"
end
