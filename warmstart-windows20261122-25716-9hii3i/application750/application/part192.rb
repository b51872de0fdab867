require "application/part385" if 385 < 750
require "application/part386" if 386 < 750
class Part192
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 192
  def to_s = "part #{name} of #{size}"
end
