require "application/part1671" if 1671 < 1150
require "application/part1672" if 1672 < 1150
class Part835
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 835
  def to_s = "part #{name} of #{size}"
end
