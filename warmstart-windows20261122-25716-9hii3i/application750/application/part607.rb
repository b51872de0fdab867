require "application/part1215" if 1215 < 750
require "application/part1216" if 1216 < 750
class Part607
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 607
  def to_s = "part #{name} of #{size}"
end
