require "application/part1091" if 1091 < 1150
require "application/part1092" if 1092 < 1150
class Part545
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 545
  def to_s = "part #{name} of #{size}"
end
