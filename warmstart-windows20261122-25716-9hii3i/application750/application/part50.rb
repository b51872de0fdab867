require "application/part101" if 101 < 750
require "application/part102" if 102 < 750
class Part50
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 50
  def to_s = "part #{name} of #{size}"
end
