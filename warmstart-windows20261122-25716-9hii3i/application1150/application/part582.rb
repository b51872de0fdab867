require "application/part1165" if 1165 < 1150
require "application/part1166" if 1166 < 1150
class Part582
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 582
  def to_s = "part #{name} of #{size}"
end
