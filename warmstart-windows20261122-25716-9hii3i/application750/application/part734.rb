require "application/part1469" if 1469 < 750
require "application/part1470" if 1470 < 750
class Part734
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 734
  def to_s = "part #{name} of #{size}"
end
