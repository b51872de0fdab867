require "application/part1193" if 1193 < 1150
require "application/part1194" if 1194 < 1150
class Part596
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 596
  def to_s = "part #{name} of #{size}"
end
