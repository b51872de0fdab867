require "application/part1093" if 1093 < 1150
require "application/part1094" if 1094 < 1150
class Part546
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 546
  def to_s = "part #{name} of #{size}"
end
