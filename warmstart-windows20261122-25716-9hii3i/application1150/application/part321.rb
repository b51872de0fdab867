require "application/part643" if 643 < 1150
require "application/part644" if 644 < 1150
class Part321
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 321
  def to_s = "part #{name} of #{size}"
end
