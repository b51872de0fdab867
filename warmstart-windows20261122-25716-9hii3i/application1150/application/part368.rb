require "application/part737" if 737 < 1150
require "application/part738" if 738 < 1150
class Part368
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 368
  def to_s = "part #{name} of #{size}"
end
