require "application/part1557" if 1557 < 1150
require "application/part1558" if 1558 < 1150
class Part778
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 778
  def to_s = "part #{name} of #{size}"
end
