require "application/part1249" if 1249 < 1150
require "application/part1250" if 1250 < 1150
class Part624
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 624
  def to_s = "part #{name} of #{size}"
end
