require "application/part1481" if 1481 < 750
require "application/part1482" if 1482 < 750
class Part740
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 740
  def to_s = "part #{name} of #{size}"
end
