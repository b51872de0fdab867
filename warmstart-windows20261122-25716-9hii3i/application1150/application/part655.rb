require "application/part1311" if 1311 < 1150
require "application/part1312" if 1312 < 1150
class Part655
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 655
  def to_s = "part #{name} of #{size}"
end
