require "application/part589" if 589 < 1150
require "application/part590" if 590 < 1150
class Part294
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 294
  def to_s = "part #{name} of #{size}"
end
