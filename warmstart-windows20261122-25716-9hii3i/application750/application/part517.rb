require "application/part1035" if 1035 < 750
require "application/part1036" if 1036 < 750
class Part517
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 517
  def to_s = "part #{name} of #{size}"
end
