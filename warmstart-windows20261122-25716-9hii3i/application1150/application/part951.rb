require "application/part1903" if 1903 < 1150
require "application/part1904" if 1904 < 1150
class Part951
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 951
  def to_s = "part #{name} of #{size}"
end
