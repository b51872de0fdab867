require "application/part1899" if 1899 < 1150
require "application/part1900" if 1900 < 1150
class Part949
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 949
  def to_s = "part #{name} of #{size}"
end
