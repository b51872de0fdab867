require "application/part1531" if 1531 < 1150
require "application/part1532" if 1532 < 1150
class Part765
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 765
  def to_s = "part #{name} of #{size}"
end
