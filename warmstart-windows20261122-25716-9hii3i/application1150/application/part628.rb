require "application/part1257" if 1257 < 1150
require "application/part1258" if 1258 < 1150
class Part628
  attr_reader :name, :size
  def initialize(name, size: 1) = (@name, @size = name, size)
  def total(values) = values.map { |value| value * size }.sum + 628
  def to_s = "part #{name} of #{size}"
end
