require "application/part1407" if 1407 < 750
require "application/part1408" if 1408 < 750
class Part703
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 703
  def to_s = "part #{name} of #{size}"
end
