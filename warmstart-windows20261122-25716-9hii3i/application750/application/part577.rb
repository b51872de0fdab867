require "application/part1155" if 1155 < 750
require "application/part1156" if 1156 < 750
class Part577
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 577
  def to_s = "part #{name} of #{size}"
end
