require "application/part1189" if 1189 < 1150
require "application/part1190" if 1190 < 1150
class Part594
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 594
  def to_s = "part #{name} of #{size}"
end
