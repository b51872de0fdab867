require "application/part1559" if 1559 < 1150
require "application/part1560" if 1560 < 1150
class Part779
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 779
  def to_s = "part #{name} of #{size}"
end
