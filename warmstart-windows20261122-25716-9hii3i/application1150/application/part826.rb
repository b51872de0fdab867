require "application/part1653" if 1653 < 1150
require "application/part1654" if 1654 < 1150
class Part826
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 826
  def to_s = "part #{name} of #{size}"
end
