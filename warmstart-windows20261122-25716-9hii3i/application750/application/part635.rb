require "application/part1271" if 1271 < 750
require "application/part1272" if 1272 < 750
class Part635
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 635
  def to_s = "part #{name} of #{size}"
end
