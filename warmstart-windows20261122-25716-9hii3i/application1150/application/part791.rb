require "application/part1583" if 1583 < 1150
require "application/part1584" if 1584 < 1150
class Part791
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 791
  def to_s = "part #{name} of #{size}"
end
