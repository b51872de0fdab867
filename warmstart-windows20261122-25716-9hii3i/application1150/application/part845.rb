require "application/part1691" if 1691 < 1150
require "application/part1692" if 1692 < 1150
class Part845
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 845
  def to_s = "part #{name} of #{size}"
end
