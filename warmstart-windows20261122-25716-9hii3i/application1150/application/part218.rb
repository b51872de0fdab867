require "application/part437" if 437 < 1150
require "application/part438" if 438 < 1150
class Part218
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 218
  def to_s = "part #{name} of #{size}"
end
