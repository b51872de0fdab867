require "application/part1727" if 1727 < 1150
require "application/part1728" if 1728 < 1150
class Part863
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 863
  def to_s = "part #{name} of #{size}"
end
