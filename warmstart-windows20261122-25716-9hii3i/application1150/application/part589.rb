require "application/part1179" if 1179 < 1150
require "application/part1180" if 1180 < 1150
class Part589
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 589
  def to_s = "part #{name} of #{size}"
end
