require "application/part1381" if 1381 < 1150
require "application/part1382" if 1382 < 1150
class Part690
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 690
  def to_s = "part #{name} of #{size}"
end
