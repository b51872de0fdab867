require "application/part1623" if 1623 < 1150
require "application/part1624" if 1624 < 1150
class Part811
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 811
  def to_s = "part #{name} of #{size}"
end
