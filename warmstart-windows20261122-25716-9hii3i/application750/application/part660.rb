require "application/part1321" if 1321 < 750
require "application/part1322" if 1322 < 750
class Part660
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 660
  def to_s = "part #{name} of #{size}"
end
