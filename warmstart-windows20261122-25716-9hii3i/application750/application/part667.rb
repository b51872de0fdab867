require "application/part1335" if 1335 < 750
require "application/part1336" if 1336 < 750
class Part667
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 667
  def to_s = "part #{name} of #{size}"
end
