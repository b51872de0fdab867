require "application/part1405" if 1405 < 750
require "application/part1406" if 1406 < 750
class Part702
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 702
  def to_s = "part #{name} of #{size}"
end
