require "application/part611" if 611 < 750
require "application/part612" if 612 < 750
class Part305
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 305
  def to_s = "part #{name} of #{size}"
end
