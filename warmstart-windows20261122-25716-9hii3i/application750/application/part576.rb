require "application/part1153" if 1153 < 750
require "application/part1154" if 1154 < 750
class Part576
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 576
  def to_s = "part #{name} of #{size}"
end
