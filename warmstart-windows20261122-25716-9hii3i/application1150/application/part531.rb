require "application/part1063" if 1063 < 1150
require "application/part1064" if 1064 < 1150
class Part531
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 531
  def to_s = "part #{name} of #{size}"
end
