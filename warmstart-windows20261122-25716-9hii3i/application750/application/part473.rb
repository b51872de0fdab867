require "application/part947" if 947 < 750
require "application/part948" if 948 < 750
class Part473
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 473
  def to_s = "part #{name} of #{size}"
end
