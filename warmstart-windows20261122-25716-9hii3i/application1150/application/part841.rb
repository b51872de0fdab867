require "application/part1683" if 1683 < 1150
require "application/part1684" if 1684 < 1150
class Part841
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 841
  def to_s = "part #{name} of #{size}"
end
