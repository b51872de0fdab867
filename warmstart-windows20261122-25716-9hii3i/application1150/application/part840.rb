require "application/part1681" if 1681 < 1150
require "application/part1682" if 1682 < 1150
class Part840
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 840
  def to_s = "part #{name} of #{size}"
end
