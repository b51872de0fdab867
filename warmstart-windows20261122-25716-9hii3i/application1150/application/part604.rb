require "application/part1209" if 1209 < 1150
require "application/part1210" if 1210 < 1150
class Part604
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 604
  def to_s = "part #{name} of #{size}"
end
