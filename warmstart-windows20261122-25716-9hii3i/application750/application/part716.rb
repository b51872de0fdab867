require "application/part1433" if 1433 < 750
require "application/part1434" if 1434 < 750
class Part716
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 716
  def to_s = "part #{name} of #{size}"
end
