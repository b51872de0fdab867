require "application/part1043" if 1043 < 1150
require "application/part1044" if 1044 < 1150
class Part521
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 521
  def to_s = "part #{name} of #{size}"
end
