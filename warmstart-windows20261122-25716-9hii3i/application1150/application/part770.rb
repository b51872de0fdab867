require "application/part1541" if 1541 < 1150
require "application/part1542" if 1542 < 1150
class Part770
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 770
  def to_s = "part #{name} of #{size}"
end
