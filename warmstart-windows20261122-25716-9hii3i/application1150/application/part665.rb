require "application/part1331" if 1331 < 1150
require "application/part1332" if 1332 < 1150
class Part665
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 665
  def to_s = "part #{name} of #{size}"
end
