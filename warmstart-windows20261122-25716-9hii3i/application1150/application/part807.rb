require "application/part1615" if 1615 < 1150
require "application/part1616" if 1616 < 1150
class Part807
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 807
  def to_s = "part #{name} of #{size}"
end
