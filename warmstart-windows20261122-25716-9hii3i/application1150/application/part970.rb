require "application/part1941" if 1941 < 1150
require "application/part1942" if 1942 < 1150
class Part970
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 970
  def to_s = "part #{name} of #{size}"
end
