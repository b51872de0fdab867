require "application/part1831" if 1831 < 1150
require "application/part1832" if 1832 < 1150
class Part915
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 915
  def to_s = "part #{name} of #{size}"
end
