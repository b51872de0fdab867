require "application/part595" if 595 < 750
require "application/part596" if 596 < 750
class Part297
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 297
  def to_s = "part #{name} of #{size}"
end
