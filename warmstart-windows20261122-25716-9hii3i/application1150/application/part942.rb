require "application/part1885" if 1885 < 1150
require "application/part1886" if 1886 < 1150
class Part942
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 942
  def to_s = "part #{name} of #{size}"
end
