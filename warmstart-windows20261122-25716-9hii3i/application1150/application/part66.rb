require "application/part133" if 133 < 1150
require "application/part134" if 134 < 1150
class Part66
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 66
  def to_s = "part #{name} of #{size}"
end
