require "application/part1829" if 1829 < 1150
require "application/part1830" if 1830 < 1150
class Part914
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 914
  def to_s = "part #{name} of #{size}"
end
