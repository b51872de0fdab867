require "application/part1887" if 1887 < 1150
require "application/part1888" if 1888 < 1150
class Part943
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 943
  def to_s = "part #{name} of #{size}"
end
