require "application/part1493" if 1493 < 1150
require "application/part1494" if 1494 < 1150
class Part746
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 746
  def to_s = "part #{name} of #{size}"
end
