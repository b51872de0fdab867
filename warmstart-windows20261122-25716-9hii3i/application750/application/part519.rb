require "application/part1039" if 1039 < 750
require "application/part1040" if 1040 < 750
class Part519
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 519
  def to_s = "part #{name} of #{size}"
end
