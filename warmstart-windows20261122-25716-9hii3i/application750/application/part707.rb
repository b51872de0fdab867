require "application/part1415" if 1415 < 750
require "application/part1416" if 1416 < 750
class Part707
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 707
  def to_s = "part #{name} of #{size}"
end
