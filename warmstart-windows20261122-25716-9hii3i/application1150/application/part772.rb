require "application/part1545" if 1545 < 1150
require "application/part1546" if 1546 < 1150
class Part772
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 772
  def to_s = "part #{name} of #{size}"
end
