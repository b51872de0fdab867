require "application/part1575" if 1575 < 1150
require "application/part1576" if 1576 < 1150
class Part787
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 787
  def to_s = "part #{name} of #{size}"
end
