require "application/part1291" if 1291 < 1150
require "application/part1292" if 1292 < 1150
class Part645
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 645
  def to_s = "part #{name} of #{size}"
end
