require "application/part527" if 527 < 1150
require "application/part528" if 528 < 1150
class Part263
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 263
  def to_s = "part #{name} of #{size}"
end
