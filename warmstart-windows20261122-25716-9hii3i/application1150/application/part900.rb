require "application/part1801" if 1801 < 1150
require "application/part1802" if 1802 < 1150
class Part900
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 900
  def to_s = "part #{name} of #{size}"
end
