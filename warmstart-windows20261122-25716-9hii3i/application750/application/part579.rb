require "application/part1159" if 1159 < 750
require "application/part1160" if 1160 < 750
class Part579
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 579
  def to_s = "part #{name} of #{size}"
end
