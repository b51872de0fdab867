require "application/part1397" if 1397 < 1150
require "application/part1398" if 1398 < 1150
class Part698
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 698
  def to_s = "part #{name} of #{size}"
end
