require "application/part1947" if 1947 < 1150
require "application/part1948" if 1948 < 1150
class Part973
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 973
  def to_s = "part #{name} of #{size}"
end
