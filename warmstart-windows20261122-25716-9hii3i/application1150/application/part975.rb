require "application/part1951" if 1951 < 1150
require "application/part1952" if 1952 < 1150
class Part975
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 975
  def to_s = "part #{name} of #{size}"
end
