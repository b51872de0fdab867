require "application/part1725" if 1725 < 1150
require "application/part1726" if 1726 < 1150
class Part862
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 862
  def to_s = "part #{name} of #{size}"
end
