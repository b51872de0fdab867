require "application/part1659" if 1659 < 1150
require "application/part1660" if 1660 < 1150
class Part829
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 829
  def to_s = "part #{name} of #{size}"
end
