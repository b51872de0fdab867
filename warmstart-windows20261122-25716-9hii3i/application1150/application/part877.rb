require "application/part1755" if 1755 < 1150
require "application/part1756" if 1756 < 1150
class Part877
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 877
  def to_s = "part #{name} of #{size}"
end
