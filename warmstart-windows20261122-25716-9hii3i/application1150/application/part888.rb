require "application/part1777" if 1777 < 1150
require "application/part1778" if 1778 < 1150
class Part888
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 888
  def to_s = "part #{name} of #{size}"
end
