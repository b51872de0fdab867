require "application/part845" if 845 < 750
require "application/part846" if 846 < 750
class Part422
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 422
  def to_s = "part #{name} of #{size}"
end
