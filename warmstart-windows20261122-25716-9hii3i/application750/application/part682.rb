require "application/part1365" if 1365 < 750
require "application/part1366" if 1366 < 750
class Part682
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 682
  def to_s = "part #{name} of #{size}"
end
