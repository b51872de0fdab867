require "application/part491" if 491 < 750
require "application/part492" if 492 < 750
class Part245
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 245
  def to_s = "part #{name} of #{size}"
end
