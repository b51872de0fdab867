require "application/part1857" if 1857 < 1150
require "application/part1858" if 1858 < 1150
class Part928
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 928
  def to_s = "part #{name} of #{size}"
end
