require "application/part2253" if 2253 < 1150
require "application/part2254" if 2254 < 1150
class Part1126
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 1126
  def to_s = "part #{name} of #{size}"
end
