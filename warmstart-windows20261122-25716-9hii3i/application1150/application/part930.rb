require "application/part1861" if 1861 < 1150
require "application/part1862" if 1862 < 1150
class Part930
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 930
  def to_s = "part #{name} of #{size}"
end
