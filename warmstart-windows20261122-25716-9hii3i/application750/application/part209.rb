require "application/part419" if 419 < 750
require "application/part420" if 420 < 750
class Part209
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 209
  def to_s = "part #{name} of #{size}"
end
