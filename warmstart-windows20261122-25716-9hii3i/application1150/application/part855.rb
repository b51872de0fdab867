require "application/part1711" if 1711 < 1150
require "application/part1712" if 1712 < 1150
class Part855
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 855
  def to_s = "part #{name} of #{size}"
end
