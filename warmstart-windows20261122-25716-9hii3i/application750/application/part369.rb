require "application/part739" if 739 < 750
require "application/part740" if 740 < 750
class Part369
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 369
  def to_s = "part #{name} of #{size}"
end
