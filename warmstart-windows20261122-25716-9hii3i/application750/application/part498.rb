require "application/part997" if 997 < 750
require "application/part998" if 998 < 750
class Part498
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 498
  def to_s = "part #{name} of #{size}"
end
