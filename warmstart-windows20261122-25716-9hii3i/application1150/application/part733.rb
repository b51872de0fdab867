require "application/part1467" if 1467 < 1150
require "application/part1468" if 1468 < 1150
class Part733
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 733
  def to_s = "part #{name} of #{size}"
end
