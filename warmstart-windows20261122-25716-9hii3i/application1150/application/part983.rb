require "application/part1967" if 1967 < 1150
require "application/part1968" if 1968 < 1150
class Part983
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 983
  def to_s = "part #{name} of #{size}"
end
