require "application/part1343" if 1343 < 750
require "application/part1344" if 1344 < 750
class Part671
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 671
  def to_s = "part #{name} of #{size}"
end
