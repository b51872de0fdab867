require "application/part359" if 359 < 750
require "application/part360" if 360 < 750
class Part179
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 179
  def to_s = "part #{name} of #{size}"
end
