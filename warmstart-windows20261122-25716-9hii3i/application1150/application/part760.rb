require "application/part1521" if 1521 < 1150
require "application/part1522" if 1522 < 1150
class Part760
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 760
  def to_s = "part #{name} of #{size}"
end
