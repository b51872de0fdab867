require "application/part359" if 359 < 1150
require "application/part360" if 360 < 1150
class Part179
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 179
  def to_s = "part #{name} of #{size}"
end
