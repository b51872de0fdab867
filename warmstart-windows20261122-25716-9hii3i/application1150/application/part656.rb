require "application/part1313" if 1313 < 1150
require "application/part1314" if 1314 < 1150
class Part656
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 656
  def to_s = "part #{name} of #{size}"
end
