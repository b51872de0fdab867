require "application/part1399" if 1399 < 750
require "application/part1400" if 1400 < 750
class Part699
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 699
  def to_s = "part #{name} of #{size}"
end
