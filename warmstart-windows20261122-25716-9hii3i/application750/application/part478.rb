require "application/part957" if 957 < 750
require "application/part958" if 958 < 750
class Part478
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 478
  def to_s = "part #{name} of #{size}"
end
