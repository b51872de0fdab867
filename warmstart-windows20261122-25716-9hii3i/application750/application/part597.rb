require "application/part1195" if 1195 < 750
require "application/part1196" if 1196 < 750
class Part597
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 597
  def to_s = "part #{name} of #{size}"
end
