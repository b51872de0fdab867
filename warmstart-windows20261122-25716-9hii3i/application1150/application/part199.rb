require "application/part399" if 399 < 1150
require "application/part400" if 400 < 1150
class Part199
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 199
  def to_s = "part #{name} of #{size}"
end
