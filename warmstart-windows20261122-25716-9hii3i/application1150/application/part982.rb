require "application/part1965" if 1965 < 1150
require "application/part1966" if 1966 < 1150
class Part982
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 982
  def to_s = "part #{name} of #{size}"
end
