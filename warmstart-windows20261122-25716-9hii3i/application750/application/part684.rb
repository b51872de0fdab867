require "application/part1369" if 1369 < 750
require "application/part1370" if 1370 < 750
class Part684
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 684
  def to_s = "part #{name} of #{size}"
end
