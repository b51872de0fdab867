require "application/part1087" if 1087 < 750
require "application/part1088" if 1088 < 750
class Part543
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 543
  def to_s = "part #{name} of #{size}"
end
