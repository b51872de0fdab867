require "application/part475" if 475 < 750
require "application/part476" if 476 < 750
class Part237
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 237
  def to_s = "part #{name} of #{size}"
end
