require "application/part1459" if 1459 < 750
require "application/part1460" if 1460 < 750
class Part729
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 729
  def to_s = "part #{name} of #{size}"
end
