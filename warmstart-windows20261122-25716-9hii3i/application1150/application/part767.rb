require "application/part1535" if 1535 < 1150
require "application/part1536" if 1536 < 1150
class Part767
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 767
  def to_s = "part #{name} of #{size}"
end
