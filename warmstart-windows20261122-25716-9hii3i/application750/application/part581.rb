require "application/part1163" if 1163 < 750
require "application/part1164" if 1164 < 750
class Part581
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 581
  def to_s = "part #{name} of #{size}"
end
