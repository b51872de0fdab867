require "application/part1787" if 1787 < 1150
require "application/part1788" if 1788 < 1150
class Part893
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 893
  def to_s = "part #{name} of #{size}"
end
