require "application/part1201" if 1201 < 1150
require "application/part1202" if 1202 < 1150
class Part600
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 600
  def to_s = "part #{name} of #{size}"
end
