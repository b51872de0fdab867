require "application/part1771" if 1771 < 1150
require "application/part1772" if 1772 < 1150
class Part885
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 885
  def to_s = "part #{name} of #{size}"
end
