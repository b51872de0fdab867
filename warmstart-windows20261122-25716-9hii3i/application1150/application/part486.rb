require "application/part973" if 973 < 1150
require "application/part974" if 974 < 1150
class Part486
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 486
  def to_s = "part #{name} of #{size}"
end
