require "application/part1501" if 1501 < 1150
require "application/part1502" if 1502 < 1150
class Part750
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 750
  def to_s = "part #{name} of #{size}"
end
