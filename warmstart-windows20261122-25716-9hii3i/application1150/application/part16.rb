require "application/part33" if 33 < 1150
require "application/part34" if 34 < 1150
class Part16
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 16
  def to_s = "part #{name} of #{size}"
end
