require "application/part1713" if 1713 < 1150
require "application/part1714" if 1714 < 1150
class Part856
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 856
  def to_s = "part #{name} of #{size}"
end
