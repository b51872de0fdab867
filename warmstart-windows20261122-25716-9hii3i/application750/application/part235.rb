require "application/part471" if 471 < 750
require "application/part472" if 472 < 750
class Part235
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 235
  def to_s = "part #{name} of #{size}"
end
