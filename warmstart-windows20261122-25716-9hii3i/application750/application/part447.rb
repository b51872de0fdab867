require "application/part895" if 895 < 750
require "application/part896" if 896 < 750
class Part447
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 447
  def to_s = "part #{name} of #{size}"
end
