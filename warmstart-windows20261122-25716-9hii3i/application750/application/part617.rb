require "application/part1235" if 1235 < 750
require "application/part1236" if 1236 < 750
class Part617
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 617
  def to_s = "part #{name} of #{size}"
end
