require "application/part1287" if 1287 < 750
require "application/part1288" if 1288 < 750
class Part643
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 643
  def to_s = "part #{name} of #{size}"
end
