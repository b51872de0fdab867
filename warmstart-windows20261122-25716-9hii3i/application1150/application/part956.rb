require "application/part1913" if 1913 < 1150
require "application/part1914" if 1914 < 1150
class Part956
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 956
  def to_s = "part #{name} of #{size}"
end
