require "application/part1585" if 1585 < 1150
require "application/part1586" if 1586 < 1150
class Part792
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 792
  def to_s = "part #{name} of #{size}"
end
