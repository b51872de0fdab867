require "application/part1003" if 1003 < 750
require "application/part1004" if 1004 < 750
class Part501
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 501
  def to_s = "part #{name} of #{size}"
end
