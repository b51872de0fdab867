require "application/part1269" if 1269 < 1150
require "application/part1270" if 1270 < 1150
class Part634
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 634
  def to_s = "part #{name} of #{size}"
end
