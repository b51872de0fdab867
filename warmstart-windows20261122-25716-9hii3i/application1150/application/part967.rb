require "application/part1935" if 1935 < 1150
require "application/part1936" if 1936 < 1150
class Part967
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 967
  def to_s = "part #{name} of #{size}"
end
