require "application/part1985" if 1985 < 1150
require "application/part1986" if 1986 < 1150
class Part992
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 992
  def to_s = "part #{name} of #{size}"
end
