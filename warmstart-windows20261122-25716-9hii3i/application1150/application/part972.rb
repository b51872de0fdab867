require "application/part1945" if 1945 < 1150
require "application/part1946" if 1946 < 1150
class Part972
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 972
  def to_s = "part #{name} of #{size}"
end
