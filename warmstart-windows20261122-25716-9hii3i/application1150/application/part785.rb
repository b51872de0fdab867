require "application/part1571" if 1571 < 1150
require "application/part1572" if 1572 < 1150
class Part785
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 785
  def to_s = "part #{name} of #{size}"
end
