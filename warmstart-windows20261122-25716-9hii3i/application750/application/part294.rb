require "application/part589" if 589 < 750
require "application/part590" if 590 < 750
class Part294
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 294
  def to_s = "part #{name} of #{size}"
end
