require "application/part1059" if 1059 < 1150
require "application/part1060" if 1060 < 1150
class Part529
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 529
  def to_s = "part #{name} of #{size}"
end
