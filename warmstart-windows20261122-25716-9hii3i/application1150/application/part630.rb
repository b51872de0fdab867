require "application/part1261" if 1261 < 1150
require "application/part1262" if 1262 < 1150
class Part630
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 630
  def to_s = "part #{name} of #{size}"
end
