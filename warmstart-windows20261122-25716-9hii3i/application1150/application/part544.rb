require "application/part1089" if 1089 < 1150
require "application/part1090" if 1090 < 1150
class Part544
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 544
  def to_s = "part #{name} of #{size}"
end
