require "application/part609" if 609 < 750
require "application/part610" if 610 < 750
class Part304
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 304
  def to_s = "part #{name} of #{size}"
end
