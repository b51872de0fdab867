require "application/part1213" if 1213 < 750
require "application/part1214" if 1214 < 750
class Part606
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 606
  def to_s = "part #{name} of #{size}"
end
