require "application/part1487" if 1487 < 1150
require "application/part1488" if 1488 < 1150
class Part743
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 743
  def to_s = "part #{name} of #{size}"
end
