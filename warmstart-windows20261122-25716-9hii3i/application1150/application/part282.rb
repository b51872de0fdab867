require "application/part565" if 565 < 1150
require "application/part566" if 566 < 1150
class Part282
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 282
  def to_s = "part #{name} of #{size}"
end
