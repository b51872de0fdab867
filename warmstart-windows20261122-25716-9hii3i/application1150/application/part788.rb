require "application/part1577" if 1577 < 1150
require "application/part1578" if 1578 < 1150
class Part788
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 788
  def to_s = "part #{name} of #{size}"
end
