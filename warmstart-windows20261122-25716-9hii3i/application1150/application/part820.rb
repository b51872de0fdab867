require "application/part1641" if 1641 < 1150
require "application/part1642" if 1642 < 1150
class Part820
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 820
  def to_s = "part #{name} of #{size}"
end
