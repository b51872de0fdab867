require "application/part1253" if 1253 < 1150
require "application/part1254" if 1254 < 1150
class Part626
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 626
  def to_s = "part #{name} of #{size}"
end
