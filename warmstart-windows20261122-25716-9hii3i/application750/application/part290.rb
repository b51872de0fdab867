require "application/part581" if 581 < 750
require "application/part582" if 582 < 750
class Part290
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 290
  def to_s = "part #{name} of #{size}"
end
