require "application/part111" if 111 < 750
require "application/part112" if 112 < 750
class Part55
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 55
  def to_s = "part #{name} of #{size}"
end
