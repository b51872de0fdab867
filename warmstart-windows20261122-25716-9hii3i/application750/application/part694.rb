require "application/part1389" if 1389 < 750
require "application/part1390" if 1390 < 750
class Part694
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 694
  def to_s = "part #{name} of #{size}"
end
