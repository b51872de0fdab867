require "application/part1769" if 1769 < 1150
require "application/part1770" if 1770 < 1150
class Part884
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 884
  def to_s = "part #{name} of #{size}"
end
