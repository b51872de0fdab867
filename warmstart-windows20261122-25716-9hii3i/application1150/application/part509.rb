require "application/part1019" if 1019 < 1150
require "application/part1020" if 1020 < 1150
class Part509
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 509
  def to_s = "part #{name} of #{size}"
end
