require "application/part1299" if 1299 < 750
require "application/part1300" if 1300 < 750
class Part649
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 649
  def to_s = "part #{name} of #{size}"
end
