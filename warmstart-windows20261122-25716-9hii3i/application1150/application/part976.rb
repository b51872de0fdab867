require "application/part1953" if 1953 < 1150
require "application/part1954" if 1954 < 1150
class Part976
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 976
  def to_s = "part #{name} of #{size}"
end
