require "application/part1983" if 1983 < 1150
require "application/part1984" if 1984 < 1150
class Part991
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 991
  def to_s = "part #{name} of #{size}"
end
