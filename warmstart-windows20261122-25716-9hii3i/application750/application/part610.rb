require "application/part1221" if 1221 < 750
require "application/part1222" if 1222 < 750
class Part610
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 610
  def to_s = "part #{name} of #{size}"
end
