require "application/part1295" if 1295 < 1150
require "application/part1296" if 1296 < 1150
class Part647
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 647
  def to_s = "part #{name} of #{size}"
end
