require "application/part1981" if 1981 < 1150
require "application/part1982" if 1982 < 1150
class Part990
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 990
  def to_s = "part #{name} of #{size}"
end
