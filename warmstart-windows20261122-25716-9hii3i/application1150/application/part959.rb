require "application/part1919" if 1919 < 1150
require "application/part1920" if 1920 < 1150
class Part959
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 959
  def to_s = "part #{name} of #{size}"
end
