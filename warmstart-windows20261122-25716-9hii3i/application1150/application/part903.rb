require "application/part1807" if 1807 < 1150
require "application/part1808" if 1808 < 1150
class Part903
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 903
  def to_s = "part #{name} of #{size}"
end
