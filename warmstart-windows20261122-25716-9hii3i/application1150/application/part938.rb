require "application/part1877" if 1877 < 1150
require "application/part1878" if 1878 < 1150
class Part938
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 938
  def to_s = "part #{name} of #{size}"
end
