require "application/part1539" if 1539 < 1150
require "application/part1540" if 1540 < 1150
class Part769
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 769
  def to_s = "part #{name} of #{size}"
end
