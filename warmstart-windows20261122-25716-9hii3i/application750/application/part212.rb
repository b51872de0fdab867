require "application/part425" if 425 < 750
require "application/part426" if 426 < 750
class Part212
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 212
  def to_s = "part #{name} of #{size}"
end
