require "application/part1669" if 1669 < 1150
require "application/part1670" if 1670 < 1150
class Part834
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 834
  def to_s = "part #{name} of #{size}"
end
