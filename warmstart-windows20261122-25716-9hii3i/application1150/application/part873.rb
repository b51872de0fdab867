require "application/part1747" if 1747 < 1150
require "application/part1748" if 1748 < 1150
class Part873
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 873
  def to_s = "part #{name} of #{size}"
end
