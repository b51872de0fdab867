require "application/part1425" if 1425 < 750
require "application/part1426" if 1426 < 750
class Part712
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 712
  def to_s = "part #{name} of #{size}"
end
