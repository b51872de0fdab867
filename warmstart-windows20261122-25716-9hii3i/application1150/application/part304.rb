require "application/part609" if 609 < 1150
require "application/part610" if 610 < 1150
class Part304
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 304
  def to_s = "part #{name} of #{size}"
end
