require "application/part1145" if 1145 < 1150
require "application/part1146" if 1146 < 1150
class Part572
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 572
  def to_s = "part #{name} of #{size}"
end
