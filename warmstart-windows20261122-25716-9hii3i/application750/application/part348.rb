require "application/part697" if 697 < 750
require "application/part698" if 698 < 750
class Part348
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 348
  def to_s = "part #{name} of #{size}"
end
