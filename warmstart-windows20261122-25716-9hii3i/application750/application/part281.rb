require "application/part563" if 563 < 750
require "application/part564" if 564 < 750
class Part281
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 281
  def to_s = "part #{name} of #{size}"
end
