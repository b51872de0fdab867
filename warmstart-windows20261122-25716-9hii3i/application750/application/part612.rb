require "application/part1225" if 1225 < 750
require "application/part1226" if 1226 < 750
class Part612
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 612
  def to_s = "part #{name} of #{size}"
end
