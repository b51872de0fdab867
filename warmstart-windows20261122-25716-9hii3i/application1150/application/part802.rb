require "application/part1605" if 1605 < 1150
require "application/part1606" if 1606 < 1150
class Part802
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 802
  def to_s = "part #{name} of #{size}"
end
