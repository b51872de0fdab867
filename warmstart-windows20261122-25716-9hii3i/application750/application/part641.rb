require "application/part1283" if 1283 < 750
require "application/part1284" if 1284 < 750
class Part641
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 641
  def to_s = "part #{name} of #{size}"
end
